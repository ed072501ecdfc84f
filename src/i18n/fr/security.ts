// Owns the French texts of the pages of what opens an account.

export const security = {
  title: 'Connexion et sécurité',
  missing:
    'Votre compte s’ouvre avec votre seul mot de passe. Une application d’authentification le protégerait même si quelqu’un l’apprenait.',
  complete: 'Votre compte s’ouvre avec votre mot de passe et un code que vous seul pouvez lire.',
  password: 'Mot de passe',
  passwordSet: 'Défini',
  passwordChosen: 'Choisi',
  change: 'Modifier',
  changePassword: 'votre mot de passe',
  remove: 'Retirer',
  sessions: 'Vos sessions ouvertes se trouvent à la page',
  seeSessions: 'Sessions',
  app: {
    name: 'Application d’authentification',
    none: 'Aucune',
    on: 'activée',
    since: 'depuis le',
    add: 'Configurer',
    removeWhat: 'votre application d’authentification',
    title: 'Configurer une application d’authentification',
    lead: 'Après votre mot de passe, cette application vous donnera un code à six chiffres, différent toutes les trente secondes.',
    scan: 'Ouvrez l’application d’authentification sur votre téléphone et scannez ce code.',
    picture: 'Code QR à scanner avec votre application d’authentification',
    applicationDemands: (name: string) =>
      `${name} demande plus qu’un mot de passe. Ajoutez une application d’authentification à votre compte pour continuer.`,
    pageDemands:
      'Cette page demande plus qu’un mot de passe. Ajoutez une application d’authentification à votre compte pour continuer.',
    onThisDevice: 'L’application est sur cet appareil ?',
    open: 'Ouvrir dans l’application',
    key: 'Ou saisissez cette clé',
    confirm: 'Saisissez le code que l’application affiche maintenant.',
    code: 'Code à six chiffres',
    codeHint: 'Il change toutes les trente secondes.',
    codeWrong:
      'Ce code n’est pas celui de cette clé. Vérifiez l’heure de votre téléphone, puis saisissez le code suivant.',
    action: 'Activer',
    removeTitle: 'Retirer l’application d’authentification ?',
    removeText:
      'Votre mot de passe suffira de nouveau pour ouvrir votre compte. Vos codes de secours et vos navigateurs de confiance ne serviront plus.',
    removeAction: 'Retirer l’application',
  },
  codes: {
    name: 'Codes de secours',
    left: (count: number) =>
      count === 0 ? 'Il n’en reste aucun' : count === 1 ? 'Il en reste 1' : `Il en reste ${count}`,
    madeOn: 'créés le',
    renew: 'En créer de nouveaux',
    title: 'Vos codes de secours',
    lead: 'Chacun remplace une fois le code de l’application, si vous perdez votre téléphone. Gardez-les hors de ce téléphone.',
    download: 'Télécharger (texte)',
    once: 'Ces codes ne seront plus affichés une fois cette page quittée.',
    copied: 'J’ai noté mes codes',
    renewTitle: 'Créer de nouveaux codes de secours ?',
    renewText: 'Les dix nouveaux codes remplaceront les précédents, qui ne fonctionneront plus.',
    renewAction: 'Créer de nouveaux codes',
  },
  browsers: {
    title: 'Navigateurs de confiance',
    lead: 'Dans ces navigateurs, le code de l’application ne vous est pas demandé.',
    none: 'Aucun. Vous pouvez en ajouter un lorsque vous saisissez un code.',
    since: 'De confiance depuis le',
    until: 'Jusqu’au',
    end: 'Retirer',
  },
  signIns: {
    title: 'Dernières connexions',
    lead: 'Si l’une d’elles n’était pas la vôtre, choisissez un nouveau mot de passe : toutes les sessions seront fermées.',
    unknown: 'Connexion',
    ways: {
      password: 'Mot de passe',
      'password+app': 'Mot de passe et application d’authentification',
      'password+recovery_code': 'Mot de passe et code de secours',
      'password+trusted': 'Mot de passe, dans un navigateur de confiance',
      passkey: 'Clé d’accès',
    },
  },
  reset: {
    title: 'Arrêter la réinitialisation de votre second facteur ?',
    pending:
      'Votre application d’authentification, vos codes de secours et vos navigateurs de confiance seront retirés le',
    afterwards: 'Votre mot de passe suffira alors pour ouvrir votre compte.',
    unlessYou: 'Si vous ne l’avez pas demandé, arrêtez la réinitialisation.',
    see: 'Voir et arrêter',
    stop: 'Arrêter la réinitialisation',
    advice: 'Si vous les avez perdus, fermez cette page : il n’y a rien d’autre à faire.',
    stoppedTitle: 'La réinitialisation est arrêtée',
    stoppedText:
      'Tout reste inchangé. Si vous n’aviez rien demandé, quelqu’un d’autre l’a peut-être fait : prévenez les responsables de ce service.',
  },
  done: {
    'reset-stopped': 'La réinitialisation est arrêtée. Tout reste inchangé.',
    'app-removed': 'L’application d’authentification a été retirée.',
    codes: 'C’est fait. Gardez vos codes de secours en lieu sûr.',
    'trust-ended': 'Le code sera de nouveau demandé dans ce navigateur.',
  } as Record<string, string>,
};
