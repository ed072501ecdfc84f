// Owns the French texts of: account.
import { credentials } from './credentials.ts';

export const account = {
  credentials,

  parts: {
    title: 'Votre compte',
    overview: 'Vue d’ensemble',
    profile: 'Profil',
    email: 'Adresse e-mail',
    password: 'Mot de passe',
    sessions: 'Sessions',
    applications: 'Applications connectées',
    data: 'Vos données',
  },

  overview: {
    welcome: (service: string) => `Votre compte est prêt. Bienvenue sur ${service}.`,
    greeting: (name: string) => `Bonjour ${name}`,
    purpose: (service: string) =>
      `Ce compte vous ouvre les applications qui proposent « Se connecter avec ${service} ». Chacune vous demande d’abord votre accord, et ne reçoit que ce que vous avez accepté de partager.`,
    facts: 'Ce que nous savons de vous',
    name: 'Nom',
    email: 'Adresse e-mail',
    emailVerified: 'vérifiée',
    emailNotVerified: 'pas encore vérifiée',
    phone: 'Téléphone',
    noPhone: 'Aucun',
    language: 'Langue',
    browserLanguage: 'Celle de votre navigateur',
    memberSince: 'Compte créé le',
    change: 'Modifier',
    changeWhat: {
      profile: 'votre profil',
      email: 'votre adresse e-mail',
    },
    applications: 'Vos applications',
    noApplication: 'Aucune pour l’instant. Celles que vous autorisez apparaîtront ici.',
    allApplications: 'Voir ce qu’elles reçoivent',
    parts: 'Et aussi',
    profileText: 'Votre nom, votre image, votre téléphone et votre langue.',
    emailText: 'L’adresse avec laquelle vous vous connectez, et sa vérification.',
    passwordText: 'En choisir un autre ferme vos autres sessions.',
    sessionsText: 'Les appareils où vous êtes connecté, et comment les déconnecter.',
    applicationsText: 'Ce que vous partagez, avec qui, et comment y mettre fin.',
    dataText: 'Télécharger tout ce que nous gardons, ou supprimer votre compte.',
  },

  profile: {
    title: 'Votre profil',
    lead: 'C’est ce que voient les applications que vous autorisez.',
    phone: 'Téléphone (facultatif)',
    phoneHint: 'Tel que vous l’écrivez d’habitude, par exemple 06 12 34 56 78, ou avec l’indicatif du pays.',
    phoneInvalid:
      'Ce numéro n’existe sous aucune forme que nous connaissions. Écrivez-le avec l’indicatif du pays, par exemple +33 6 12 34 56 78, ou laissez le champ vide.',
    language: 'Langue',
    languageHint: 'Celle de nos pages et de nos messages.',
    languageAuto: 'Celle de votre navigateur',
    save: 'Enregistrer',
    saved: 'Votre profil est enregistré.',
    picture: 'Image',
    changePicture: 'Changer l’image',
  },

  picture: {
    title: 'Votre image',
    ownText: 'Voici l’image que voient les applications que vous autorisez.',
    initialsText: 'Vous n’avez pas encore d’image : vos initiales la remplacent.',
    file: 'Une nouvelle image',
    fileHint:
      'JPEG, PNG ou WebP, 2 Mo au plus. Nous n’en gardons qu’un carré de 256 pixels, sans le lieu ni la date de la prise de vue.',
    upload: 'Utiliser cette image',
    remove: 'Retirer l’image',
    missing: 'Choisissez une image.',
    unreadable: 'Ce fichier n’est pas une image que nous savons lire. Choisissez un JPEG, un PNG ou un WebP.',
    changed: 'Votre nouvelle image est en place.',
    removed: 'Votre image est retirée. Vos initiales la remplacent.',
  },

  sessions: {
    title: 'Vos sessions',
    lead: 'Les navigateurs où ce compte est ouvert. Si l’un d’eux ne vous dit rien, déconnectez-le et changez votre mot de passe.',
    device: (browser: string, system: string) => `${browser} sur ${system}`,
    unknownDevice: 'Appareil inconnu',
    current: 'cette session',
    address: 'Adresse IP',
    noAddress: 'Oubliée',
    lastSeen: 'Dernière activité',
    signedIn: 'Identité confirmée',
    end: 'Déconnecter',
    endWhich: (device: string, lastSeen: string) => `la session ${device}, vue le ${lastSeen}`,
    endOthers: 'Déconnecter toutes les autres sessions',
    onlyThis: 'Ce compte n’est ouvert nulle part ailleurs.',
    applications:
      'Les applications que vous avez ouvertes depuis ces navigateurs gardent leur propre session. Pour leur retirer l’accès à vos informations, passez par',
    applicationsLink: 'les applications connectées',
    ended: 'La session est fermée.',
    othersEnded: 'Toutes les autres sessions sont fermées.',
  },

  applications: {
    title: 'Applications connectées',
    lead: 'Chaque application ne peut lire que ce que vous avez accepté de partager. Retirez votre accord quand vous voulez : l’effet est immédiat.',
    none: 'Aucune pour l’instant. Celles que vous autorisez apparaîtront ici, avec ce qu’elles reçoivent et quand.',
    canRead: 'Peut lire',
    scopes: {
      openid: 'identifiant',
      profile: 'nom et image',
      email: 'adresse e-mail',
      phone: 'numéro de téléphone',
    },
    allowedOn: 'Autorisée le',
    lastUsed: 'Dernière utilisation',
    neverUsed: 'Pas encore',
    received: 'Ce qu’elle a reçu',
    nothingReceived: 'Rien pour l’instant.',
    fields: {
      sub: 'identifiant',
      auth_time: 'heure de connexion',
      name: 'nom',
      avatar: 'image',
      picture: 'image',
      updated_at: 'date de modification du profil',
      email: 'adresse e-mail',
      preferred_username: 'nom d’utilisateur (l’adresse e-mail)',
      email_verified: 'vérification de l’adresse',
      phone: 'téléphone',
      phone_number: 'téléphone',
      phone_number_verified: 'vérification du téléphone',
    },
    once: (day: string) => `une fois, le ${day}`,
    often: (times: number, first: string, last: string) => `${times} fois, du ${first} au ${last}`,
    oftenOneDay: (times: number, day: string) => `${times} fois, le ${day}`,
    withdraw: 'Retirer',
    withdrawFrom: (application: string) => `l’accord donné à ${application}`,
    withdrawn: 'Votre accord est retiré. L’application ne peut plus lire vos informations.',
    former: 'Applications qui n’ont plus accès',
    formerText:
      'Vous leur avez retiré votre accord, ou elles n’existent plus. Voici ce qu’elles avaient reçu.',
    delay: 'Les lectures apparaissent ici après une minute au plus.',
  },

  data: {
    tooMany:
      'Vous avez déjà récupéré vos données plusieurs fois dans l’heure. Attendez un moment, puis réessayez.',
    title: 'Vos données',
    lead: 'Tout ce que nous gardons de vous est à vous.',
    exportTitle: 'Télécharger',
    exportText:
      'Un fichier JSON avec votre profil et votre image, vos sessions, vos accords, ce que les applications ont reçu, les applications que vous avez enregistrées et le journal de votre compte. Ni votre mot de passe ni aucun secret n’y figurent.',
    export: 'Télécharger mes données',
    deleteTitle: 'Supprimer le compte',
    deleteText:
      'La suppression est immédiate et définitive. La page suivante dit ce qui disparaît, et vous demande de confirmer.',
    delete: 'Supprimer mon compte…',
  },

  deletion: {
    title: 'Supprimer votre compte ?',
    goes: 'Voici ce qui disparaît aussitôt, pour toujours :',
    profile: 'votre profil et votre image',
    sessions: 'vos sessions, sur tous vos appareils',
    consents: (count: number) =>
      count === 0
        ? 'vos accords avec des applications (aucun en ce moment)'
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
      'Ces personnes ne pourront plus s’y connecter. Vous pouvez d’abord confier ces applications à quelqu’un d’autre, depuis la console.',
    stays: (days: number) =>
      `Les applications gardent ce que vous leur avez déjà donné : c’est à elles qu’il faut en demander l’effacement. Le journal de sécurité garde la trace de cette suppression pendant ${days} jours.`,
    typeEmail: 'Tapez votre adresse e-mail pour confirmer',
    typeEmailHint: (email: string) => `Votre adresse est ${email}.`,
    emailDiffers: 'Ce n’est pas l’adresse e-mail de ce compte.',
    lastOperator:
      'Vous êtes la dernière personne à exploiter ce service. Confiez d’abord ce rôle à quelqu’un d’autre.',
    confirm: 'Supprimer mon compte pour toujours',
    cancel: 'Garder mon compte',
    done: 'Votre compte est supprimé. Au revoir, et merci.',
  },
};
