// The French texts of what owners do with both applications and APIs: transferring and deleting them.

export const ownership = {
  transfer: {
    further: 'Transférer ou supprimer',
    toAnother: 'Transférer à un autre compte',
    state: 'Transfert',
    offered: (email: string) =>
      `Proposée à ${email}. Rien ne change tant que cette personne n’a pas accepté.`,
    cancelled: 'La proposition a été annulée.',
    title: (name: string) => `Transférer ${name}`,
    lead: {
      application:
        'L’application passe à un autre compte de ce service, avec les autorisations de ses utilisateurs. Dès que l’autre personne accepte, vos secrets et vos clés ne sont plus valables. Rien ne change avant qu’elle accepte, depuis sa liste d’applications.',
      api: 'L’API passe à un autre compte de ce service, avec ses portées et les autorisations données pour elle. Dès que l’autre personne accepte, vos secrets et vos clés ne sont plus valables. Rien ne change avant qu’elle accepte, depuis sa liste d’API.',
    },
    email: 'Adresse e-mail de l’autre compte',
    emailHint:
      'Nous n’indiquons pas si un compte utilise cette adresse. La proposition est valable sept jours.',
    own: 'C’est votre propre adresse.',
    action: { application: 'Proposer l’application', api: 'Proposer l’API' },
    pending: 'Proposition en cours',
    pendingTo: 'Proposée à',
    until: 'Valable jusqu’au',
    replace: 'Si vous la proposez à quelqu’un d’autre, cette proposition sera remplacée.',
    cancel: 'Annuler la proposition',
    received: 'Transferts qui vous sont proposés',
    from: 'Proposée par',
    see: 'Voir la proposition',
    seeOf: {
      application: (name: string) => `de l’application ${name}`,
      api: (name: string) => `de l’API ${name}`,
    },
    acceptTitle: (name: string) => `Accepter ${name} ?`,
    urls: { application: 'URL de retour', api: 'Identifiant de l’API' },
    stays: {
      application:
        'Vous en deviendrez propriétaire, et la personne qui la propose n’y aura plus accès. Ses réglages et ses URL de retour restent : vérifiez-les. Ses utilisateurs restent connectés, sauf si c’est une application mobile ou dans le navigateur.',
      api: 'Vous en deviendrez propriétaire, et la personne qui la propose n’y aura plus accès. Son identifiant, ses portées, les autorisations données et les accès accordés à des applications restent : vérifiez-les.',
    },
    ends: {
      application:
        'Dès que vous acceptez, les secrets et les clés de l’ancien propriétaire, l’URL prévenue des déconnexions et les accès à des API pour son propre compte prennent fin. Créez aussitôt un secret : sans lui, personne ne pourra plus se connecter à une application avec serveur.',
      api: 'Dès que vous acceptez, les secrets et les clés de l’ancien propriétaire prennent fin. Si l’API nous interroge sur les jetons, créez aussitôt un secret ou enregistrez votre clé.',
    },
    accept: { application: 'Accepter l’application', api: 'Accepter l’API' },
    decline: 'Refuser',
    declineWhat: {
      application: (name: string) => `l’application ${name}`,
      api: (name: string) => `l’API ${name}`,
    },
    declined: {
      application: 'Vous avez refusé cette application. Elle reste à son propriétaire.',
      api: 'Vous avez refusé cette API. Elle reste à son propriétaire.',
    },
    gone: 'Cette proposition n’est plus valable.',
  },

  remove: {
    title: (name: string) => `Supprimer ${name} ?`,
    people: (count: number) => {
      if (count === 0) return 'Personne n’est connecté à cette application.';
      return count === 1
        ? 'Une personne est connectée à cette application.'
        : `${count} personnes sont connectées à cette application.`;
    },
    text: {
      application:
        'Tous les accès, codes et jetons de l’application seront révoqués immédiatement, et son Client ID ne servira plus jamais. Cette action est irréversible.',
      api: 'Aucun jeton ne sera plus donné pour cette API. Ses secrets, ses portées et ce que les personnes ont autorisé disparaissent immédiatement ; une API qui vérifie elle-même les jetons les accepte jusqu’à leur expiration. Cette action est irréversible.',
    },
    name: { application: 'Nom de l’application', api: 'Nom de l’API' },
    nameHint: (name: string) => `Pour confirmer, saisissez : ${name}`,
    nameDiffers: {
      application: 'Ce n’est pas le nom de l’application.',
      api: 'Ce n’est pas le nom de l’API.',
    },
    action: 'Supprimer définitivement',
    cancel: { application: 'Garder l’application', api: 'Garder l’API' },
    done: {
      application: 'L’application a été supprimée. Plus personne ne peut s’y connecter.',
      api: 'L’API a été supprimée.',
    },
  },
};
