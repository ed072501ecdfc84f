// Owns the French texts that every page has or strangers see: entering, consent, labels and faults of the fields that several
// forms have, errors. The reference that every other dictionary must match, key for key.
// Typography: U+202F before ; ! ? : and inside « », U+00A0 between a number and its unit, ’ for apostrophes;
// both spaces stand here as themselves, and test/i18n/dictionaries.test.ts finds an ordinary one in their place.
import { french } from './formats.ts';
import { account } from './fr/account.ts';
import { applications } from './fr/applications.ts';
import { device } from './fr/device.ts';
import { diagnostics } from './fr/diagnostics.ts';
import { integrate } from './fr/integrate.ts';
import { mail } from './fr/mail.ts';
import { operations } from './fr/operations.ts';
import { protocol } from './fr/protocol.ts';

/** Seconds in words a person uses: seconds up to two minutes, then minutes, rounded up. */
function duration(seconds: number): string {
  const whole = Math.max(1, Math.ceil(seconds));
  if (whole === 1) return 'une seconde';
  if (whole <= 120) return `${whole} secondes`;
  return `${Math.ceil(whole / 60)} minutes`;
}

const date = (day: Date): string => french.day(day).replace(/^1 /, '1er ').replace(' ', ' ');

export const fr = {
  /** A day in full, in UTC. */
  date,
  /** A moment to the minute, in UTC. */
  instant: (at: Date): string => `${date(at)} à ${french.time(at).replace(':', ' h ')} UTC`,
  /** A moment to the second, in UTC. */
  exact(at: Date): string {
    const seconds = String(at.getUTCSeconds()).padStart(2, '0');
    return `${date(at)} à ${french.time(at).replace(':', ' h ')} min ${seconds} s UTC`;
  },

  layout: {
    skipToContent: 'Aller au contenu',
    languages: 'Langue',
    languageNames: { fr: 'Français', en: 'English' },
    titleWithErrors: (title: string) => `Erreur : ${title}`,
    sections: 'Rubriques',
    account: 'Mon compte',
    applications: 'Applications',
    operations: 'Exploitation',
  },

  house: {
    links: 'À propos de ce service',
    help: 'Aide',
    write: 'Nous écrire',
    accessibility: 'Accessibilité',
    terms: 'Conditions d’utilisation',
    privacy: 'Confidentialité',
    legalNotice: 'Mentions légales',
    reach: 'Pour joindre les responsables de ce service :',
    or: 'ou',
    helpPage: 'page d’aide',
  },

  fields: {
    name: 'Nom',
    nameHint: 'Tel que vous voulez qu’il apparaisse dans les applications.',
    email: 'Adresse e-mail',
    password: 'Mot de passe',
    newPasswordHint: (minimum: number) =>
      `Au moins ${minimum} caractères. Plusieurs mots à la suite valent mieux qu’un mot compliqué.`,
    confirmPassword: 'Votre mot de passe actuel',
    confirmPasswordHint: 'Votre connexion date de plus de 15 minutes : confirmez que c’est bien vous.',
  },

  signIn: {
    title: 'Se connecter',
    action: 'Se connecter',
    continueTo: 'pour continuer vers',
    cancel: (application: string) => `Annuler et revenir à ${application}`,
    noAccountYet: 'Pas encore de compte ?',
    signUp: 'Créer un compte',
  },

  signUp: {
    title: 'Créer un compte',
    action: 'Créer mon compte',
    continueTo: 'pour continuer vers',
    alreadyAnAccount: 'Vous avez déjà un compte ?',
    signIn: 'Se connecter',
  },

  signOut: {
    title: 'Se déconnecter ?',
    text: 'Votre session se fermera dans ce navigateur. Les applications que vous avez ouvertes avec ce compte gardent leur propre session : il faut les quitter séparément.',
    action: 'Se déconnecter',
    cancel: 'Garder ma session',
    done: 'Votre session est fermée.',
    goOnTo: 'Vous irez ensuite vers',
    stranded: (incident: string) =>
      `L’application qui vous envoie ici demande une adresse de retour qu’elle n’a pas déclarée. Vous pouvez vous déconnecter, mais vous resterez ici. Code d’incident : ${incident}`,
    leaveTitle: 'Continuer vers une application ?',
    leaveText:
      'Personne n’est connecté dans ce navigateur. Le lien que vous avez suivi mène ailleurs : continuez seulement si vous reconnaissez cette adresse.',
    leaveTo: 'Il mène vers',
    leave: 'Continuer',
    stay: 'Rester ici',
  },

  consent: {
    title: (application: string) => `Partager vos informations avec ${application} ?`,
    address: 'Adresse de cette application',
    addressAdvice: 'N’autorisez que si vous la reconnaissez.',
    unverifiedTag: 'non vérifiée',
    unverified: 'Les responsables de ce service n’ont pas vérifié cette application.',
    about: 'Ce que l’application dit d’elle',
    homePage: 'Page d’accueil',
    privacyPolicy: 'Politique de confidentialité',
    termsOfService: 'Conditions d’utilisation',
    account: 'Compte utilisé',
    switchAccount: 'Utiliser un autre compte',
    shared: 'Ce qui sera partagé',
    openid: 'Identifiant',
    openidFor: 'pour vous reconnaître',
    profile: 'Nom et image',
    email: 'Adresse e-mail',
    emailVerified: 'vérifiée',
    emailNotVerified: 'pas encore vérifiée',
    phone: 'Téléphone',
    noPhone: 'Aucun numéro enregistré : rien ne sera partagé tant que vous n’en ajoutez pas.',
    details: 'Détails',
    identifier: 'Votre identifiant',
    updatedAt: 'Profil modifié le',
    next: (host: string) =>
      `Vous retournerez ensuite sur ${host}. Un accord se retire à tout moment depuis votre compte.`,
    allow: 'Autoriser',
    deny: 'Refuser',
    accountChanged: 'Le compte connecté a changé entre-temps. Vérifiez, puis choisissez de nouveau.',
  },

  callback: {
    title: 'Vous retournez à l’application',
    text: 'Votre réponse y est envoyée. Si rien ne se passe, appuyez sur le bouton.',
    action: 'Continuer',
  },

  home: {
    welcomeTitle: 'Une porte vers toutes vos applications',
    welcome: (service: string) =>
      `Avec ${service}, vous entrez partout avec un seul compte et un seul mot de passe. Avant chaque première visite, vous voyez exactement ce qui sera partagé, et c’est vous qui décidez.`,
  },

  account,
  applications,
  device,
  diagnostics,
  integrate,
  mail,
  operations,
  protocol,

  problems: {
    title: 'Il reste un point à corriger',
    titleMany: (count: number) => `Il reste ${count} points à corriger`,
    emailInvalid: 'Saisissez une adresse e-mail complète, par exemple camille@exemple.fr.',
    emailTaken: 'Un compte existe déjà avec cette adresse. Connectez-vous, ou choisissez-en une autre.',
    nameRequired: 'Saisissez votre nom.',
    nameTooLong: (maximum: number) => `Choisissez un nom de ${maximum} caractères au plus.`,
    passwordRequired: 'Saisissez votre mot de passe.',
    passwordMissing: 'Confirmez avec votre mot de passe actuel.',
    passwordWrong: 'Ce n’est pas votre mot de passe actuel.',
    /** Why a new password is refused. */
    newPassword: {
      tooShort: (minimum: number) => `Choisissez un mot de passe d’au moins ${minimum} caractères.`,
      tooLong: (maximum: number) => `Choisissez un mot de passe de ${maximum} caractères au plus.`,
      common:
        'Trop facile à deviner : c’est l’un des mots de passe les plus répandus. Choisissez-en un autre.',
      personal:
        'Trop facile à deviner : il reprend votre nom, votre adresse ou le nom de ce service. Choisissez autre chose.',
      repeated: 'Trop facile à deviner : il répète les mêmes caractères. Essayez plusieurs mots à la suite.',
      row: 'Trop facile à deviner : ces caractères se suivent au clavier, dans l’alphabet ou en comptant. Essayez plusieurs mots à la suite.',
      easy: 'Trop facile à deviner : un mot courant et quelques chiffres ne suffisent pas. Ajoutez-y un mot ou deux.',
    },
    wrongCredentials: 'Adresse e-mail ou mot de passe incorrect.',
    formExpired: 'Ce formulaire avait expiré. Vérifiez ce qu’il contient et envoyez-le de nouveau.',
  },

  failures: {
    incident: 'Code d’incident',
    incidentAdvice: 'Donnez ce code si vous demandez de l’aide : il permet de retrouver ce qui s’est passé.',
    home: 'Aller à l’accueil',
    startAgain: 'Recommencer',
    unknownApplication: {
      title: 'Cette application nous est inconnue',
      text: 'Le lien qui vous a amené ici vient d’une application qui n’est pas enregistrée chez nous, ou qui ne l’est plus. Nous ne pouvons pas vous y connecter.',
      advice:
        'Revenez à l’application et réessayez. Si cela se reproduit, signalez-le à ses responsables avec le code ci-dessous.',
    },
    invalidCallback: {
      title: 'Cette demande de connexion n’est pas sûre',
      text: 'L’application veut que nous vous renvoyions à une adresse qu’elle n’a pas déclarée. Pour vous protéger, nous nous arrêtons ici.',
      advice:
        'Revenez à l’application en tapant son adresse vous-même. Si cela se reproduit, signalez-le à ses responsables avec le code ci-dessous.',
    },
    missingParameter: {
      title: 'Cette demande de connexion est incomplète',
      text: 'Le lien qui vous a amené ici ne dit pas quelle application vous voulez ouvrir, ni où vous renvoyer ensuite.',
      advice:
        'Revenez à l’application et repartez de son bouton de connexion. Si cela se reproduit, signalez-le à ses responsables avec le code ci-dessous.',
    },
    applicationGone: {
      title: 'Cette application n’est plus disponible',
      text: 'Elle a été retirée pendant que vous répondiez. Rien n’a été partagé avec elle.',
      advice: 'Vous pouvez fermer cette page.',
    },
    toApplication: (application: string) => `Revenir à ${application}`,
    requestLapsed: {
      title: 'Cette demande de connexion a expiré',
      text: 'Trop de temps a passé depuis que vous avez quitté l’application. Rien n’a été partagé.',
      advice:
        'Revenez à l’application et repartez de son bouton de connexion : elle seule peut refaire cette demande.',
    },
    requestExpired: {
      title: 'Cette demande de connexion a expiré',
      text: 'Trop de temps a passé depuis que vous avez quitté l’application. Rien n’a été partagé.',
      advice: 'Recommencez : rien d’autre n’est perdu.',
    },
    otherBrowser: {
      title: 'Cette demande vient d’un autre navigateur',
      text: 'Une connexion se termine dans le navigateur où elle a commencé. Celle-ci a été ouverte ailleurs, ou vos cookies ont été effacés entre-temps.',
      advice:
        'Revenez à l’application dans ce navigateur et repartez de son bouton de connexion. Les cookies doivent y être acceptés.',
    },
    formExpired: {
      title: 'Ce formulaire a expiré',
      text: 'Nous n’avons pas pu vérifier qu’il venait bien de vous. Rien n’a été enregistré.',
      advice:
        'Revenez à la page précédente, rechargez-la et envoyez le formulaire de nouveau. Les cookies doivent être acceptés.',
    },
    badRequest: {
      title: 'Nous n’avons pas compris cette demande',
      text: 'Ce qui nous a été envoyé est incomplet ou mal formé. Rien n’a été enregistré.',
      advice: 'Revenez en arrière et réessayez.',
    },
    uploadTooLarge: {
      title: 'Ce fichier est trop lourd',
      text: 'Nous prenons les fichiers de 2 Mo au plus. Celui-ci n’a pas été enregistré, et rien n’a changé.',
      advice: 'Revenez à la page précédente et choisissez un fichier plus léger.',
    },
    deadLink: {
      title: 'Ce lien ne sert plus',
      text: 'Il a déjà servi, il a expiré, ou un changement plus récent l’a remplacé.',
      advice: 'Si vous en avez encore besoin, demandez un nouveau message.',
    },
    notFound: {
      title: 'Il n’y a pas de porte ici',
      text: 'Aucune page n’existe à cette adresse.',
      advice: 'Vérifiez l’adresse, ou repartez de l’accueil.',
    },
    rateLimited: (seconds: number) => ({
      title: 'Un instant, s’il vous plaît',
      text: 'Nous avons reçu trop de demandes à la suite depuis votre réseau.',
      advice: `Attendez ${duration(seconds)}, puis rechargez cette page.`,
    }),
    overloaded: (seconds: number) => ({
      title: 'Il y a foule à l’entrée',
      text: 'Trop de personnes se connectent en même temps. Votre demande n’a pas été traitée.',
      advice: `Attendez ${duration(seconds)}, puis réessayez.`,
    }),
    unavailable: {
      title: 'Le service est momentanément indisponible',
      text: 'Une partie de nos systèmes ne répond pas. Votre compte n’est pas en cause.',
      advice: 'Réessayez dans quelques minutes.',
    },
    serverError: {
      title: 'Quelque chose s’est mal passé de notre côté',
      text: 'Vous n’y êtes pour rien, et votre demande n’a peut-être pas abouti.',
      advice: 'Réessayez dans quelques minutes.',
    },
    httpsRequired: {
      title: 'Cette connexion n’est pas chiffrée',
      text: 'Ce service n’accepte que les adresses qui commencent par https://, pour que personne ne puisse lire ce que vous lui envoyez.',
      advice: 'Remplacez http:// par https:// au début de l’adresse.',
    },
    invalidLogout: {
      title: 'Cette demande de déconnexion n’est pas sûre',
      text: 'L’application qui vous a amené ici demande une déconnexion que nous ne pouvons pas vérifier. Votre session n’a pas changé.',
      advice:
        'Pour vous déconnecter, ouvrez votre compte et choisissez « Se déconnecter ». Si cela se reproduit, signalez-le aux responsables de l’application avec le code ci-dessous.',
    },
    signUpClosed: {
      title: 'Les inscriptions sont fermées',
      text: 'Ce service n’accepte pas de nouveau compte pour le moment.',
      advice:
        'Si vous avez déjà un compte, connectez-vous. Sinon, demandez-en un aux responsables de ce service.',
    },
  },
};

/** The shape of a dictionary. A key missing from another language is a type error. */
export type Messages = typeof fr;

/** A failure in words: what happened and what the person can do. */
export type Failure = { title: string; text: string; advice: string };
