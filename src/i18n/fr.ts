// French dictionary: layout, sign-in, consent, shared form fields and error pages.
// It defines the keys of every dictionary.
// Typography: U+202F before ; ! ? : and inside « », U+00A0 between a number and its unit, ’ for apostrophes.
// test/i18n/dictionaries.test.ts checks the typography.
import { withDe } from './elision.ts';
import { french } from './formats.ts';
import { account } from './fr/account.ts';
import { activity } from './fr/activity.ts';
import { admin } from './fr/admin.ts';
import { agents } from './fr/agents.ts';
import { apiAccess } from './fr/api-access.ts';
import { apiIntegrate } from './fr/api-integrate.ts';
import { apiTest } from './fr/api-test.ts';
import { apis } from './fr/apis.ts';
import { applications } from './fr/applications.ts';
import { device } from './fr/device.ts';
import { diagnostics } from './fr/diagnostics.ts';
import { identityProviders } from './fr/identity-providers.ts';
import { integrate } from './fr/integrate.ts';
import { linkedAccounts } from './fr/linked-accounts.ts';
import { mail } from './fr/mail.ts';
import { ownership } from './fr/ownership.ts';
import { passkeys } from './fr/passkeys.ts';
import { protocol } from './fr/protocol.ts';
import { serviceAccess } from './fr/service-access.ts';

const date = (day: Date): string => french.day(day).replace(/^1\b/, '1er');
const joinDateAndTime = (day: Date, time: string): string => `${date(day)} à\u00a0${time}\u00a0UTC`;
/** Writes `09:05` as `9 h 05`. */
const formatHours = (time: string): string => time.replace(/0?(\d+):/, '$1\u00a0h\u00a0');
const instant = (day: Date): string => joinDateAndTime(day, formatHours(french.time(day)));

export const fr = {
  date,
  instant,
  /** Starts with « le » because it replaces phrases such as « il y a 2 heures ». */
  instantAgo: (day: Date): string => `le\u00a0${instant(day)}`,
  instantExact: (day: Date): string => joinDateAndTime(day, french.timeWithSeconds(day)),

  layout: {
    skipToContent: 'Aller au contenu',
    languages: 'Langue',
    languageNames: { fr: 'Français', en: 'English' },
    titleWithErrors: (title: string) => `Erreur : ${title}`,
    sections: 'Rubriques',
    account: 'Mon compte',
    developers: 'Développeurs',
    applications: 'Applications',
    apis: 'API',
    admin: 'Administration',
  },

  serviceLinks: {
    links: 'À propos de ce service',
    help: 'Aide',
    write: 'Nous écrire',
    accessibility: 'Accessibilité',
    terms: 'Conditions d’utilisation',
    privacy: 'Confidentialité',
    legalNotice: 'Mentions légales',
    supportLabel: 'Assistance :',
    helpPage: 'la page d’aide',
    writeTo: (email: string) => `Écrire à ${email}`,
    openHelpPage: 'Ouvrir la page d’aide',
    labeledLink: (label: string, address: string) => `${label} : ${address}`,
  },

  fields: {
    optional: 'facultatif',
    name: 'Nom',
    nameHint: 'C’est le nom que verront les applications.',
    email: 'Adresse e‑mail',
    password: 'Mot de passe',
    newPasswordHint: (minimum: number) =>
      `Au moins ${minimum} caractères. Plusieurs mots à la suite valent mieux qu’un mot compliqué.`,
    showPassword: 'Afficher',
    hidePassword: 'Masquer',
    strength: {
      fair: 'Mot de passe acceptable. Un mot de plus le rendrait solide.',
      good: 'Mot de passe solide.',
      strong: 'Mot de passe très solide.',
    },
    confirmPassword: 'Votre mot de passe actuel',
    confirmationCode: 'Code de votre application d’authentification',
    confirmationCodeHint: 'Les six chiffres affichés en ce moment, ou l’un de vos codes de secours.',
    recoveryCode: 'Code de secours',
    recoveryCodeHint: 'L’un de vos codes de secours, si vous n’avez plus de clé d’accès.',
    confirmPasswordHint: 'Votre connexion date de plus de 15 minutes : confirmez que c’est bien vous.',
  },

  signIn: {
    title: 'Se connecter',
    action: 'Se connecter',
    continueTo: 'pour continuer vers',
    cancel: (application: string) => `Annuler et revenir à ${application}`,
    toAccount: 'Annuler et revenir à votre compte',
    required: 'Connectez-vous pour ouvrir cette page.',
    linking: (provider: string) =>
      `Connectez-vous à votre compte d’ici. Vous pourrez ensuite y lier votre compte ${provider}.`,
    providerCanceled: 'Vous avez annulé la connexion. Vous pouvez réessayer, ou vous connecter autrement.',
    sessionOver: 'Votre session est fermée. Reconnectez-vous pour reprendre où vous en étiez.',
    recovery: {
      title: 'Se connecter avec un code de secours',
      text: 'Pour un compte sans mot de passe. Chaque code ne sert qu’une fois ; remplacez ensuite les clés d’accès que vous avez perdues.',
      codeMissing: 'Saisissez un code de secours.',
      wrong: 'Cette adresse et ce code ne correspondent pas, ou le compte a un mot de passe.',
    },
    secondFactor: {
      title: 'Saisissez votre code',
      text: 'Saisissez le code de votre application d’authentification.',
      code: 'Code',
      browser: 'La prochaine fois',
      trust: 'Faire confiance à ce navigateur',
      trustHint: 'Pendant 30 jours, votre mot de passe suffira ici. Jamais sur un ordinateur partagé.',
      lost: 'Vous n’avez plus votre téléphone ?',
      lostText:
        'Saisissez l’un de vos codes de secours à la place du code. Si vous les avez perdus aussi, contactez votre administrateur.',
      applicationAsks: (name: string) =>
        `${name} demande, en plus de votre mot de passe, le code de votre application d’authentification.`,
      pageAsks:
        'La page demandée exige, en plus de votre mot de passe, le code de votre application d’authentification.',
      action: 'Continuer',
      without: 'Continuer sans code',
      either: {
        title: 'Confirmez que c’est bien vous',
        text: 'Utilisez une clé d’accès, ou le code de votre application d’authentification.',
        applicationAsks: (name: string) =>
          `${name} demande, en plus de votre mot de passe, une clé d’accès ou le code de votre application d’authentification.`,
        pageAsks:
          'La page demandée exige, en plus de votre mot de passe, une clé d’accès ou le code de votre application d’authentification.',
        without: 'Continuer sans second facteur',
      },
      byPasskey: {
        title: 'Confirmez avec une clé d’accès',
        applicationAsks: (name: string) =>
          `${name} vous demande de confirmer avec l’une de vos clés d’accès.`,
        pageAsks: 'La page demandée exige de confirmer avec l’une de vos clés d’accès.',
        lost: 'Vous n’avez plus de clé d’accès ?',
        make: 'Créez-en une nouvelle',
        without: 'Continuer sans clé d’accès',
      },
    },
    noAccountYet: 'Pas encore de compte ?',
    signUp: 'Créer un compte',
  },

  signUp: {
    title: 'Créer un compte',
    action: 'Créer mon compte',
    alreadyAnAccount: 'Vous avez déjà un compte ?',
  },

  accounts: {
    title: 'Choisir un compte',
    active: 'actuel',
    another: 'Utiliser un autre compte',
    over: 'Ce compte n’est plus connecté dans ce navigateur. Choisissez-en un autre, ou connectez-vous.',
    signOut: (email: string) => `Se déconnecter du compte ${email}`,
    signedOut: 'Votre session est fermée, mais pas celles de vos autres comptes.',
    continueAs: (name: string) => `Continuer avec le compte ${withDe(name)}`,
    choose: 'Choisir un compte déjà connecté',
  },

  signOut: {
    title: 'Se déconnecter ?',
    text: 'Votre session sera fermée dans ce navigateur. Les applications ouvertes avec ce compte gardent la leur : déconnectez-vous aussi de chacune.',
    action: 'Se déconnecter',
    also: (emails: readonly string[]) =>
      `${emails.length === 1 ? 'Un autre compte est connecté' : 'D’autres comptes sont connectés'} dans ce navigateur : ${emails.join(', ')}.`,
    all: 'Se déconnecter de tous les comptes',
    done: 'Votre session est fermée.',
    goOnTo: 'Vous irez ensuite vers',
    leaveTitle: 'Continuer vers une application ?',
    leaveText:
      'Aucun compte n’est connecté dans ce navigateur. Le lien que vous avez suivi mène à un autre site : ne continuez que si vous en reconnaissez l’adresse.',
    leaveTo: 'Le lien mène vers',
    leave: (host: string) => `Continuer vers ${host}`,
    stay: 'Rester ici',
    atProvider: {
      title: (provider: string) => `Fermeture de votre session ${provider}`,
      text: (provider: string) =>
        `Votre session est fermée ici. Votre session ${provider} va maintenant l’être aussi.`,
      action: (provider: string) => `Fermer la session ${provider}`,
    },
  },

  consent: {
    title: (application: string) => `Partager vos informations avec ${application} ?`,
    titleAccess: (application: string) => `Autoriser ${application} à accéder à votre compte ?`,
    titleApis: (application: string, count: number) => `Donner à ${application} l’accès à ${count} API ?`,
    titleApi: (application: string, api: string) => `Donner à ${application} l’accès à ${api} ?`,
    address: 'Adresse de cette application',
    addressAdvice: 'Ne l’autorisez que si vous la reconnaissez.',
    verified: 'Ce service a vérifié cette application.',
    verifiedTag: 'vérifiée',
    unverifiedTag: 'non vérifiée',
    unverified: 'Ce service n’a pas vérifié cette application.',
    about: 'Ce que l’application dit d’elle-même',
    homePage: 'Page d’accueil',
    privacyPolicy: 'Politique de confidentialité',
    termsOfService: 'Conditions d’utilisation',
    account: 'Compte utilisé',
    switchAccount: 'Utiliser un autre compte',
    agentTag: 'agent non enregistré',
    agentWithoutDocumentTag: 'agent non vérifié',
    agentName: 'Dit s’appeler',
    unverifiedAgent: (name: string) => `l’agent non vérifié «\u202f${name}\u202f»`,
    agentUnregistered: 'Refusez si cette adresse vous est inconnue.',
    agentWithoutDocument: 'Refusez si cette adresse, où va la réponse, vous est inconnue.',
    answerGoes: 'La réponse va à',
    answerStays: (host: string) =>
      `N’importe quel programme de cet appareil peut recevoir la réponse (${host}). N’autorisez l’accès que si vous venez de lancer cette connexion.`,
    answerToApp: (host: string) =>
      `N’importe quelle application de cet appareil peut recevoir la réponse (${host}). N’autorisez l’accès que si vous venez de lancer cette connexion.`,
    owner: 'Décrite par',
    sensitive: 'Accès sensibles : ne cochez que ce que vous voulez',
    wholeApi: 'Accès à toute l’API, qui ne distingue pas d’autorisations.',
    pick: 'Ce que vous autorisez',
    pickMissing: 'Cochez au moins un accès, ou refusez.',
    pickFirst: 'Aller au premier',
    identifierAlone: 'Seul l’identifiant de votre profil sera partagé.',
    shared: 'Ce qui sera partagé',
    openid: 'Identifiant',
    openidFor: 'pour vous reconnaître',
    profile: 'Nom et photo',
    email: 'Adresse e‑mail',
    emailVerified: 'vérifiée',
    emailNotVerified: 'pas encore vérifiée',
    phone: 'Téléphone',
    noPhone: 'Aucun numéro enregistré : rien ne sera partagé tant que vous n’en ajouterez pas un.',
    details: 'Détails',
    identifier: 'Votre identifiant',
    updatedAt: 'Profil modifié le',
    next: (host: string) => `Vous retournerez ensuite sur ${host}.`,
    revocable: 'Vous pourrez révoquer cet accès à tout moment depuis votre compte.',
    allow: 'Autoriser',
    deny: 'Refuser',
    requestChanged: 'Ce que dit cette page a changé entre-temps. Vérifiez, puis choisissez de nouveau.',
    accountChanged: 'Le compte connecté a changé entre-temps. Vérifiez, puis choisissez de nouveau.',
  },

  callback: {
    title: 'Retour à l’application',
    text: 'Nous transmettons votre réponse à l’application. Si rien ne se passe, appuyez sur « Continuer ».',
    action: 'Continuer',
  },

  home: {
    welcomeTitle: 'Un seul compte pour toutes vos applications',
    welcome: (service: string) =>
      `Avec ${service}, un seul compte ouvre vos applications : vous voyez ce que chacune recevra, et c’est vous qui décidez.`,
    developers: 'Pour les développeurs',
    developersText: 'Connectez les utilisateurs de votre application avec OAuth 2.0 et OpenID Connect.',
    register: 'Enregistrer une application',
    button: 'Bouton de connexion',
    discovery: 'Document de découverte',
  },

  account,
  agents,
  apis,
  apiAccess,
  serviceAccess,
  apiIntegrate,
  apiTest,
  applications,
  device,
  activity,
  diagnostics,
  identityProviders,
  integrate,
  mail,
  operations: admin,
  ownership,
  protocol,

  passkeys,
  linkedAccounts,

  pictures: {
    preview: 'Aperçu',
    zoom: 'Agrandir',
    horizontal: 'De gauche à droite',
    vertical: 'De haut en bas',
  },

  formErrors: {
    title: (count: number) => (count === 1 ? 'Il y a un problème' : `${count} erreurs à corriger`),
    emailInvalid: 'Saisissez une adresse e‑mail complète, par exemple camille@exemple.fr.',
    emailTaken: 'Un compte existe déjà avec cette adresse. Connectez-vous, ou choisissez-en une autre.',
    nameRequired: 'Saisissez votre nom.',
    nameTooLong: (maximum: number) => `Votre nom ne peut pas dépasser ${maximum} caractères.`,
    passwordRequired: 'Saisissez votre mot de passe.',
    passkeyWrong: 'Cette clé d’accès ne confirme pas votre compte. Recommencez, ou essayez-en une autre.',
    passwordMissing: 'Saisissez votre mot de passe actuel.',
    passwordWrong: 'Ce mot de passe n’est pas votre mot de passe actuel.',
    codeMissing: 'Saisissez le code à six chiffres de votre application, ou un code de secours.',
    codeWrong:
      'Ce code n’est pas valable, ou il a déjà servi. Attendez le suivant, ou utilisez un code de secours.',
    codesTried:
      'Trop de codes incorrects ont été saisis. Utilisez un code de secours, ou revenez dans trois heures.',
    newPassword: {
      tooShort: (minimum: number) => `Choisissez un mot de passe d’au moins ${minimum} caractères.`,
      tooLong: (maximum: number) => `Choisissez un mot de passe de ${maximum} caractères au plus.`,
      personal:
        'Trop facile à deviner : il reprend votre nom, votre adresse ou le nom de ce service. Choisissez autre chose.',
      easy: 'Trop facile à deviner : les mots courants, les prénoms et les suites de caractères sont essayés d’abord. Ajoutez-y un mot ou deux.',
    },
    suspended: 'Votre compte est suspendu. Contactez votre administrateur.',
    wrongCredentials: 'Adresse e‑mail ou mot de passe incorrect.',
    kept: 'Votre session était fermée : rien n’est encore enregistré. Voici ce que vous aviez saisi ; vérifiez-le et envoyez-le de nouveau.',
    formExpired:
      'Le formulaire a expiré avant d’être envoyé. Vérifiez vos réponses, puis envoyez-le de nouveau.',
    signInExpired: 'Le formulaire a expiré avant d’être envoyé. Saisissez de nouveau votre mot de passe.',
  },

  errorPages: {
    incident: 'Code d’incident',
    incidentAdvice: 'Donnez ce code si vous demandez de l’aide : il permet de retrouver ce qui s’est passé.',
    home: 'Retour à l’accueil',
    staySignedIn: 'Garder ma session ouverte',
    startAgain: 'Recommencer',
    newEmail: 'Demander un nouvel e‑mail',
    otherSignIn: 'Se connecter autrement',
    secure: 'Ouvrir la page chiffrée',
    retry: {
      page: 'Réessayer',
      form: 'Revenir au formulaire',
      pageIn: 'Réessayer dans',
      formIn: 'Revenir au formulaire dans',
      pageAfter: (at: Date) => `Réessayer après ${french.timeWithSeconds(at)} UTC`,
      formAfter: (at: Date) => `Revenir au formulaire après ${french.timeWithSeconds(at)} UTC`,
    },
    forDevelopers: 'Ce que doit savoir le développeur',
    toApplication: (application: string) => `Revenir à ${application}`,
    unknownApplication: {
      title: 'Application inconnue',
      text: 'Le lien que vous avez suivi vient d’une application qui n’est pas, ou plus, enregistrée ici. Réessayer n’y changera rien : signalez-le à l’assistance de cette application.',
    },
    invalidCallback: {
      title: 'Cette demande de connexion n’est pas sûre',
      text: 'L’application nous demande de vous renvoyer vers une URL qu’elle n’a pas enregistrée : pour vous protéger, nous nous arrêtons ici. Pour retourner à l’application, saisissez vous-même son adresse.',
    },
    missingParameter: {
      title: 'Cette demande de connexion est incomplète',
      text: 'Elle n’indique pas quelle application ouvrir, ou où vous renvoyer ensuite. Revenez à l’application et utilisez de nouveau son bouton de connexion.',
    },
    applicationGone: {
      title: 'Cette application n’est plus disponible',
      text: 'Elle a été supprimée entre-temps. Rien n’a été partagé avec elle.',
    },
    requestExpired: {
      title: 'Cette demande de connexion a expiré',
      text: 'Trop de temps s’est écoulé depuis que vous avez quitté l’application. Rien n’a été partagé : vous pouvez recommencer depuis celle-ci.',
    },
    otherBrowser: {
      title: 'Cette demande vient d’un autre navigateur',
      text: 'Une connexion doit se terminer dans le navigateur où elle a commencé, cookies autorisés. Revenez à l’application dans ce navigateur et utilisez de nouveau son bouton de connexion.',
    },
    agentUnreadable: {
      title: 'Nous ne savons pas qui demande cet accès',
      text: 'Un agent, comme un assistant, demande à accéder à votre compte, mais nous n’avons pas pu vérifier qui il est, ou ce service ne l’autorise pas. Rien n’a été partagé.',
    },
    agentBlocked: {
      title: 'Cet agent est bloqué ici',
      text: 'Votre administrateur l’a bloqué. Rien n’a été partagé.',
    },
    agentLater: {
      title: 'Trop d’agents en ce moment',
      text: 'Nous vérifions trop d’agents à la fois. Rien n’a été partagé.',
    },
    formExpired: {
      title: 'Ce formulaire a expiré',
      text: 'Nous n’avons pas pu vérifier qu’il venait bien de vous, et rien n’a été enregistré. Rechargez la page précédente, cookies autorisés, et envoyez-le de nouveau.',
    },
    badRequest: {
      title: 'Cette page n’a pas pu s’ouvrir',
      text: 'Revenez à la page ou à l’application précédente, et recommencez. Rien n’a été enregistré.',
    },
    uploadTooLarge: {
      title: 'Ce fichier est trop lourd',
      text: 'La taille maximale est de 2 Mo. Rien n’a été enregistré : revenez en arrière et choisissez un fichier plus léger.',
    },
    secondFactorOver: {
      title: 'Recommencez la connexion',
      text: 'Le code n’a pas été saisi à temps, ou votre mot de passe a changé entre-temps.',
    },
    identityExpired: {
      title: 'Recommencez la connexion',
      text: 'La connexion avec l’autre service date de plus de dix minutes, ou a commencé dans un autre navigateur. Recommencez depuis ce navigateur.',
    },
    providerFailed: (provider: string) => ({
      title: `La connexion avec ${provider} n’a pas abouti`,
      text: `${provider} n’a pas répondu, ou sa réponse n’est pas valable. Rien n’a été enregistré : réessayez plus tard, ou connectez-vous autrement.`,
    }),
    providerDisabled: (provider: string) => ({
      title: `${provider} n’est plus proposé ici`,
      text: 'Votre administrateur a désactivé ce moyen de connexion. Connectez-vous autrement, ou demandez-lui de l’aide.',
    }),
    providerSignInOver: (provider: string) => ({
      title: 'Recommencez la connexion',
      text: `La réponse ${withDe(provider)} est arrivée trop tard, dans un autre navigateur, ou a déjà servi. Rien n’a été enregistré.`,
    }),
    accountSuspended: {
      title: 'Votre compte est suspendu',
      text: 'Vous ne pouvez pas vous connecter pour le moment. Contactez votre administrateur.',
    },
    deadLink: {
      title: 'Ce lien n’est plus valable',
      text: 'Il a déjà été utilisé, il a expiré, ou un changement plus récent l’a remplacé. Si vous en avez encore besoin, demandez un nouvel e‑mail.',
    },
    signUpLinkOver: {
      title: 'Ce lien n’est plus valable',
      text: 'Il a expiré ou il est incomplet. Recommencez l’inscription.',
    },
    resetOver: {
      title: 'Ce lien n’est plus valable',
      text: 'Plus rien n’est en attente : la réinitialisation a été arrêtée, ou votre second facteur a été retiré. Vérifiez vos moyens de connexion.',
    },
    notFound: {
      title: 'Page introuvable',
      text: 'Aucune page n’existe à cette adresse.',
    },
    rateLimited: (seconds: number) => ({
      title: 'Trop de requêtes',
      text: `Nous avons reçu trop de requêtes de votre réseau. Vous pourrez réessayer dans ${french.wait(seconds)}.`,
    }),
    overloaded: (seconds: number) => ({
      title: 'Le service est très sollicité',
      text: `Trop de personnes se connectent en même temps. Vous pourrez réessayer dans ${french.wait(seconds)}.`,
    }),
    unavailable: {
      title: 'Le service est momentanément indisponible',
      text: 'Une partie de nos systèmes ne répond pas. Votre compte n’est pas en cause.',
    },
    serverError: {
      title: 'Une erreur s’est produite de notre côté',
      text: 'Vous n’y êtes pour rien. Votre demande n’a peut-être pas abouti. Réessayez dans quelques minutes.',
    },
    httpsRequired: {
      title: 'Cette connexion n’est pas chiffrée',
      text: 'Pour que personne ne puisse lire ce que vous envoyez, ce service n’accepte que les adresses qui commencent par https://. Remplacez http:// par https://.',
    },
    invalidLogout: {
      title: 'Voulez-vous vous déconnecter ?',
      text: 'L’application demande une déconnexion que nous ne pouvons pas vérifier. Votre session n’a pas changé.',
    },
    signUpClosed: {
      title: 'Les inscriptions sont fermées',
      text: 'Ce service n’accepte pas de nouveaux comptes. Connectez-vous si vous en avez un, ou contactez votre administrateur.',
    },
  },
};

export type Messages = typeof fr;

export type ErrorPageText = { title: string; text: string };
