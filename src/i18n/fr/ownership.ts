// French: transfer and deletion of applications and APIs.
import { withDe } from '../elision.ts';

export const ownership = {
  transfer: {
    toAnother: 'Transférer à un autre compte',
    state: 'Transfert',
    offered: (email: string) =>
      `Proposée à ${email}. Rien ne change tant que cette personne n’a pas accepté.`,
    canceled: 'La proposition a été annulée.',
    title: (name: string) => `Transférer ${name}`,
    lead: 'Rien ne change avant que l’autre personne accepte le transfert. Vos secrets et vos clés cesseront alors de fonctionner.',
    email: 'Adresse e‑mail de l’autre compte',
    emailHint:
      'Par confidentialité, nous n’indiquons pas si un compte utilise cette adresse. La proposition est valable sept jours.',
    own: 'C’est votre propre adresse.',
    action: 'Proposer',
    pending: 'Proposition en cours',
    pendingTo: 'Proposée à',
    until: 'Valable jusqu’au',
    replace: 'Une proposition à quelqu’un d’autre remplacera celle-ci.',
    cancel: 'Annuler la proposition',
    received: 'Transferts qui vous sont proposés',
    from: 'Proposé par',
    see: 'Voir la proposition',
    acceptTitle: (name: string) => `Accepter le transfert ${withDe(name)} ?`,
    urls: { application: 'URL de retour', api: 'Identifiant de l’API' },
    stays: 'Ce qui reste',
    staying: {
      application: ['Réglages', 'URL de retour', 'Utilisateurs'],
      api: ['Identifiant', 'Portées', 'Autorisations données par les utilisateurs'],
    } as Record<'application' | 'api', readonly string[]>,
    isPublic:
      'Elle n’a pas de secret : quiconque contrôle une de ses URL de retour peut obtenir des jetons au nom de ses utilisateurs.',
    changed: 'Ses URL de retour ont changé entre-temps. Vérifiez-les de nouveau.',
    ends: 'Ce qui prend fin',
    ending: {
      application: [
        'Secrets et clés de l’ancien propriétaire',
        'URL de retour après déconnexion et URL de déconnexion back-channel',
        'Accès à des API pour son propre compte',
      ],
      api: ['Secrets et clés de l’ancien propriétaire', 'Accès des applications de l’ancien propriétaire'],
    } as Record<'application' | 'api', readonly string[]>,
    afterwards: {
      application: 'Créez ensuite un secret : sans lui, l’application ne peut pas obtenir de jetons.',
      api: 'Si l’API utilise l’introspection, créez ensuite un secret ou enregistrez votre clé.',
    },
    accept: 'Accepter',
    decline: 'Refuser',
    declined: 'Vous avez refusé la proposition. Rien ne change pour son propriétaire.',
    notFound: 'Cette proposition n’est plus valable.',
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
        'Les accès, codes et jetons de l’application seront révoqués immédiatement. C’est irréversible.',
      api: 'Plus aucun jeton n’est émis ; ses secrets et ses portées sont supprimés. Si elle vérifie les jetons localement, elle accepte ceux qui existent jusqu’à leur expiration. C’est irréversible.',
    },
    name: 'Nom',
    nameHint: (name: string) => `Pour confirmer, saisissez : ${name}`,
    nameDiffers: 'Le nom ne correspond pas.',
    action: 'Supprimer définitivement',
    cancel: 'Annuler',
    done: { application: 'L’application a été supprimée.', api: 'L’API a été supprimée.' },
  },
};
