// French: account pages.
import { credentials } from './credentials.ts';
import { security } from './security.ts';

export const account = {
  credentials,
  security,

  navigation: {
    title: 'Votre compte',
    overview: 'Vue d’ensemble',
    profile: 'Profil',
    email: 'Adresse e‑mail',
    security: 'Connexion et sécurité',
    sessions: 'Sessions',
    applications: 'Applications connectées',
    activity: 'Activité',
    data: 'Vos données',
  },

  overview: {
    welcome: (service: string) => `Votre compte est prêt. Bienvenue sur ${service}.`,
    greeting: (name: string) => `Bonjour ${name}`,
    purpose: (service: string) =>
      `Ce compte vous permet d’utiliser toutes les applications qui proposent « Se connecter avec ${service} ». Chacune vous demande d’abord votre autorisation, et ne reçoit que ce que vous acceptez de partager.`,
    memberSince: 'Compte créé le',
    language: { auto: 'Langue : celle du navigateur', en: 'Langue : anglais', fr: 'Langue : français' },
    editProfile: 'Modifier le profil',
    changeWhat: {
      email: 'votre adresse e‑mail',
      security: 'vos moyens de connexion',
      sessions: 'vos sessions',
    },
    applications: 'Vos applications',
    noApplication: 'Aucune application n’a accès. Celles que vous autoriserez s’afficheront ici.',
    allApplications: (count: number): string =>
      count === 1 ? 'Voir ce qu’elle reçoit' : 'Voir ce qu’elles reçoivent',
    allApplicationsAnd: (more: number) =>
      more === 1
        ? 'Voir ce qu’elles reçoivent, et une autre'
        : `Voir ce qu’elles reçoivent, et ${more} autres`,
    lastUsed: 'Utilisée',
    neverUsed: 'Jamais utilisée',
    title: 'À faire',
    nothing: 'Rien à faire.',
    apiSecretEnds: (api: string) => `Le dernier secret de l’API ${api} expire le`,
    secretEnds: (application: string) => `Le dernier secret de l’application ${application} expire le`,
    newSecret: 'Créer un secret',
    unverified:
      'Votre adresse e‑mail n’est pas vérifiée. Tant qu’elle ne l’est pas, il sera difficile de récupérer votre compte si vous en perdez l’accès.',
    changing: (email: string) =>
      `Le passage à l’adresse ${email} attend votre confirmation : ouvrez l’e‑mail que nous y avons envoyé.`,
    confirmChange: 'Saisir le code',
    offered: (owner: string, application: string) => `${owner} vous propose l’application ${application}.`,
    offeredApi: (owner: string, api: string) => `${owner} vous propose l’API ${api}.`,
    seeOffer: 'Voir la proposition',
    security: 'Sécurité',
    noPassword: 'Aucun',
    strongSignIn: 'Clé d’accès ou application d’authentification',
    factors: { passkey: 'Clé d’accès', totp: 'Application' },
    choose: 'Choisir',
    onlyHere: 'Ce navigateur seulement',
    alsoIn: (others: number) =>
      others === 1 ? 'Ce navigateur et un autre :' : `Ce navigateur et ${others} autres. Le plus récent :`,
    see: 'Voir',
    add: 'Ajouter',
  },

  profile: {
    title: 'Votre profil',
    lead: 'C’est ce que voient les applications que vous autorisez.',
    phone: 'Téléphone',
    phoneHint: 'Tel que vous l’écrivez d’habitude, par exemple 06 12 34 56 78, ou avec l’indicatif du pays.',
    phoneInvalid:
      'Ce numéro de téléphone n’est pas valable. Vérifiez-le ou ajoutez l’indicatif du pays, par exemple +33 6 12 34 56 78. Vous pouvez aussi laisser le champ vide.',
    language: 'Langue',
    languageAuto: 'Celle de votre navigateur',
    save: 'Enregistrer',
    saved: 'Votre profil a été enregistré.',
    changePicture: 'Modifier la photo',
  },

  picture: {
    title: 'Votre photo',
    file: 'Nouvelle photo',
    fileHint:
      'JPEG, PNG ou WebP, 2 Mo au plus. Nous n’en gardons qu’un carré de 256 pixels, sans le lieu ni la date de prise de vue.',
    upload: 'Utiliser cette photo',
    remove: 'Supprimer la photo',
    missing: 'Choisissez une photo.',
    unreadable: 'Nous ne parvenons pas à lire ce fichier. Choisissez une photo JPEG, PNG ou WebP.',
    changed: 'Votre photo a été mise à jour.',
    removed: 'Votre photo a été supprimée. Vos initiales la remplacent.',
  },

  sessions: {
    title: 'Vos sessions',
    lead: 'Les navigateurs où votre compte est ouvert. Si l’un d’eux ne vous dit rien, fermez sa session et changez de mot de passe.',
    device: (browser: string, system: string) => `${browser} sur ${system}`,
    unknownDevice: 'Appareil inconnu',
    current: 'ce navigateur',
    noAddress: 'adresse IP effacée',
    active: 'Active',
    activeNow: 'Active en ce moment',
    signedIn: 'identité confirmée',
    end: 'Fermer la session',
    endWhich: (device: string, lastSeen: string) => `${device} (dernière activité : ${lastSeen})`,
    endOthers: 'Fermer toutes les autres sessions',
    onlyThis: 'Votre compte n’est ouvert nulle part ailleurs.',
    ended: 'La session est fermée.',
    othersEnded: 'Toutes les autres sessions sont fermées.',
  },

  applications: {
    lead: 'Chacune n’a accès qu’à ce que vous avez autorisé. Vous pouvez révoquer cet accès à tout moment : l’effet est immédiat.',
    none: 'Aucune pour l’instant. Les applications que vous autoriserez s’afficheront ici, avec ce qu’elles auront reçu et quand.',
    api: 'API',
    sensitive: 'sensible',
    nothingLeft: 'Rien : tout ce que vous aviez autorisé a été supprimé.',
    agents: 'Agents',
    agentsText:
      'Les agents ne sont pas enregistrés ici. Seule leur URL est vérifiée ; ils choisissent leur nom.',
    selfRegistered: 'auto-enregistré',
    scopes: {
      openid: 'identifiant',
      profile: 'nom et photo',
      email: 'adresse e‑mail',
      phone: 'numéro de téléphone',
    },
    allowedOn: 'Accès autorisé le',
    lastUsed: 'utilisé',
    neverUsed: 'jamais utilisé',
    open: 'Ouvrir',
    received: 'Reçu :',
    nothingReceived: 'Rien reçu pour l’instant.',
    on: 'le',
    from: 'du',
    to: 'au',
    fields: {
      sub: 'identifiant',
      auth_time: 'heure de connexion',
      name: 'nom',
      avatar: 'photo',
      picture: 'photo',
      updated_at: 'date de modification du profil',
      email: 'adresse e‑mail',
      preferred_username: 'nom d’utilisateur (l’adresse e‑mail)',
      email_verified: 'vérification de l’adresse',
      phone: 'téléphone',
      phone_number: 'téléphone',
    },
    withdraw: 'Révoquer',
    withdrawFrom: (application: string) => `l’accès donné à ${application}`,
    withdrawn: 'Accès révoqué. L’application ne peut plus lire vos informations.',
    former: (count: number) =>
      count === 1 ? 'Une application n’a plus accès' : `${count} applications n’ont plus accès`,
  },

  activity: {
    title: 'Ce qui s’est passé dans votre compte',
    notYou: 'Si quelque chose ne vient pas de vous,',
    signOutElsewhere: 'fermez vos autres sessions',
    and: 'et',
    checkSignIn: 'vérifiez vos moyens de connexion',
    secure: 'Sécuriser votre compte',
    attempts: (times: number) => `${times} fois`,
    byAdministrator: 'votre administrateur',
    byOther: 'un autre compte',
    other: 'Autre événement',
    none: 'Rien pour l’instant.',
    noneOlder: 'Rien de plus ancien.',
    latest: 'Voir le plus récent',
    older: 'Plus ancien',
    kept: (days: number) =>
      days === 1 ? 'Cette liste remonte à un jour.' : `Cette liste remonte à ${days} jours.`,
  },

  data: {
    tooMany: 'Trop de téléchargements au cours de la dernière heure. Attendez un moment, puis réessayez.',
    exportTitle: 'Télécharger',
    exportText:
      'Un fichier JSON avec votre profil et votre photo, vos sessions, les accès que vous avez autorisés, ce que les applications ont reçu, les applications que vous avez enregistrées et le journal de votre compte. Il ne contient ni votre mot de passe ni aucun secret.',
    export: 'Télécharger mes données',
    deleteTitle: 'Supprimer le compte',
    deleteText:
      'La suppression est immédiate et définitive. La page suivante détaille ce qui sera supprimé et vous demande de confirmer.',
    delete: 'Supprimer mon compte',
  },

  deletion: {
    title: 'Supprimer votre compte ?',
    apis: 'vos API, pour lesquelles plus aucun jeton n’est délivré :',
    goes: 'Voici ce qui sera supprimé, immédiatement et définitivement :',
    profile: 'votre profil et votre photo',
    sessions: 'vos sessions, sur tous vos appareils',
    consents: (count: number) =>
      count === 0
        ? 'les accès que vous avez autorisés (aucun en ce moment)'
        : count === 1
          ? 'l’accès de l’application que vous avez autorisée'
          : `l’accès des ${count} applications que vous avez autorisées`,
    own: 'les applications que vous avez enregistrées :',
    ownUsers: (count: number) =>
      count === 0
        ? 'personne ne l’utilise'
        : count === 1
          ? 'une personne l’utilise'
          : `${count} personnes l’utilisent`,
    ownText:
      'Plus personne ne pourra s’y connecter. Vous pouvez d’abord transférer ces applications à un autre compte.',
    stays: (days: number) =>
      `Les applications gardent ce qu’elles ont déjà reçu : demandez-leur de l’effacer. Le journal de sécurité garde la trace de cette suppression pendant ${days} jours.`,
    typeEmail: 'Votre adresse e‑mail, pour confirmer',
    typeEmailHint: (email: string) => `Votre adresse est ${email}.`,
    emailDiffers: 'Ce n’est pas l’adresse e‑mail de ce compte.',
    lastAdmin: 'Vous êtes le seul administrateur de ce service. Nommez d’abord quelqu’un d’autre.',
    confirm: 'Supprimer définitivement mon compte',
    cancel: 'Garder mon compte',
    done: 'Votre compte a été supprimé. Au revoir, et merci.',
  },
};
