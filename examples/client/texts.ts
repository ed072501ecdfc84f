// The text of every page in French and English, and language negotiation.
import type { FailureKind } from './failures.ts';

export type Language = 'fr' | 'en';
export const languageNames = { fr: 'Français', en: 'English' } as const;

type FailureText = { title: string; text: string };

export interface Texts {
  nav: { label: string; notes: string; profile: string; signOut: string };
  footer: string;
  home: string;
  messages: {
    'sign-in-first': string;
    renewed: string;
    'signed-out': (service: string) => string;
    'not-revoked': (service: string) => string;
    'access-ended': (service: string) => string;
  };
  welcome: {
    title: string;
    heading: string;
    lead: (service: string) => string;
    requestedData: (data: string) => string;
    /** Data that the client receives for each scope. */
    shared: Record<string, string[]>;
  };
  notebook: { hello: string; label: string; write: string; empty: string };
  profile: {
    title: string;
    heading: string;
    lead: (service: string) => string;
    name: string;
    email: string;
    emailVerified: string;
    phone: string;
    updatedAt: string;
    sub: string;
    access: string;
    scope: string;
    expires: string;
    accessToken: string;
    refreshToken: string;
    renew: string;
    yes: string;
    no: string;
  };
  retry: string;
  failures: Record<FailureKind, FailureText>;
  badUrl: FailureText;
  crossSite: FailureText;
  notFound: FailureText;
  badRequest: FailureText;
  internalError: FailureText;
}

const fr: Texts = {
  nav: { label: 'Principale', notes: 'Notes', profile: 'Profil', signOut: 'Se déconnecter' },
  footer: 'Carnet est une application d’exemple ; ses notes disparaissent avec son processus.',
  home: 'Retour à l’accueil',
  messages: {
    'sign-in-first': 'Connectez-vous pour voir cette page.',
    renewed: 'L’accès a été renouvelé.',
    'signed-out': (service) => `Vous avez quitté Carnet et ${service}. À bientôt !`,
    'not-revoked': (service) =>
      `Vous avez quitté Carnet, mais ${service} n’a pas pu être prévenu : l’accès s’éteindra de lui-même.`,
    'access-ended': (service) => `${service} a mis fin à l’accès de Carnet. Connectez-vous de nouveau.`,
  },
  welcome: {
    title: 'Bienvenue',
    heading: 'Une page blanche, rien que pour vous.',
    lead: (service) =>
      `Carnet garde vos petites notes au même endroit. Pas de mot de passe à inventer : votre compte ${service} suffit.`,
    requestedData: (things) => `Carnet demandera ${things}, rien de plus.`,
    shared: {
      profile: ['votre nom', 'votre photo'],
      email: ['votre adresse e-mail'],
      phone: ['votre numéro de téléphone'],
    },
  },
  notebook: {
    hello: 'Bonjour',
    label: 'Une nouvelle note',
    write: 'Noter',
    empty: 'Votre carnet est encore vide.',
  },
  profile: {
    title: 'Profil',
    heading: 'Votre profil',
    lead: (service) => `Voici ce que ${service} partage avec Carnet.`,
    name: 'Nom',
    email: 'Adresse e-mail',
    emailVerified: 'Adresse vérifiée',
    phone: 'Téléphone',
    updatedAt: 'Profil modifié',
    sub: 'Identifiant',
    access: 'L’accès de Carnet',
    scope: 'Portées',
    expires: 'Expire',
    accessToken: 'Empreinte du jeton d’accès',
    refreshToken: 'Empreinte du jeton de renouvellement',
    renew: 'Renouveler l’accès',
    yes: 'oui',
    no: 'non',
  },
  retry: 'Réessayer',
  failures: {
    session_lost: {
      title: 'Votre session a été perdue',
      text: 'La connexion a pris trop de temps, ou votre navigateur n’a pas gardé le cookie de Carnet. Il suffit de recommencer.',
    },
    state_mismatch: {
      title: 'Cette réponse n’est pas la nôtre',
      text: 'La réponse reçue ne correspond à aucune connexion commencée dans ce navigateur, ou elle a déjà servi. Par prudence, Carnet l’a ignorée.',
    },
    access_denied: {
      title: 'Vous avez refusé l’accès',
      text: 'Rien n’a été partagé avec Carnet. Vous pouvez changer d’avis à tout moment.',
    },
    request_refused: {
      title: 'La connexion n’a pas abouti',
      text: 'Le service de connexion a refusé la demande de Carnet. Réessayez ; si cela se répète, prévenez la personne qui s’occupe de Carnet.',
    },
    grant_ended: {
      title: 'La connexion a expiré',
      text: 'Le code reçu a expiré ou a déjà servi. Il suffit de recommencer.',
    },
    token_refused: {
      title: 'L’accès a expiré',
      text: 'Le service de connexion ne reconnaît plus l’accès de Carnet. Connectez-vous de nouveau.',
    },
    misconfigured: {
      title: 'Carnet est mal configuré',
      text: 'Le service de connexion ne reconnaît pas cette application. La personne qui s’occupe de Carnet doit vérifier ses réglages.',
    },
    untrusted: {
      title: 'Réponse inattendue',
      text: 'La réponse du service de connexion n’a pas passé les vérifications de Carnet, qui l’a ignorée.',
    },
    busy: {
      title: 'Un peu de patience',
      text: 'Le service de connexion reçoit trop de demandes. Réessayez dans une minute.',
    },
    unreachable: {
      title: 'Le service de connexion ne répond pas',
      text: 'Carnet n’arrive pas à le joindre pour l’instant. Réessayez dans un moment.',
    },
  },
  badUrl: { title: 'Demande incorrecte', text: 'Cette adresse n’en est pas une.' },
  crossSite: { title: 'Demande refusée', text: 'Ce formulaire ne vient pas de Carnet.' },
  notFound: { title: 'Page introuvable', text: 'Il n’y a rien à cette adresse.' },
  badRequest: { title: 'Demande incorrecte', text: 'Carnet n’a pas compris cette demande.' },
  internalError: { title: 'Une erreur est survenue', text: 'Carnet a eu un problème. Réessayez.' },
};

const en: Texts = {
  nav: { label: 'Main', notes: 'Notes', profile: 'Profile', signOut: 'Sign out' },
  footer: 'Carnet is an example application; its notes vanish when its process ends.',
  home: 'Back to the start page',
  messages: {
    'sign-in-first': 'Sign in to see this page.',
    renewed: 'Access renewed.',
    'signed-out': (service) => `You’ve signed out of Carnet and ${service}. See you soon!`,
    'not-revoked': (service) =>
      `You’ve signed out of Carnet, but ${service} couldn’t be reached, so Carnet’s access lasts until it expires.`,
    'access-ended': (service) => `${service} has ended Carnet’s access. Sign in again.`,
  },
  welcome: {
    title: 'Welcome',
    heading: 'A blank page, just for you.',
    lead: (service) =>
      `Carnet keeps your short notes in one place. No password to invent: your ${service} account is all you need.`,
    requestedData: (things) => `Carnet will ask for ${things}, and nothing else.`,
    shared: {
      profile: ['your name', 'your picture'],
      email: ['your email address'],
      phone: ['your phone number'],
    },
  },
  notebook: {
    hello: 'Hello',
    label: 'A new note',
    write: 'Add note',
    empty: 'Your notebook is still empty.',
  },
  profile: {
    title: 'Profile',
    heading: 'Your profile',
    lead: (service) => `This is what ${service} shares with Carnet.`,
    name: 'Name',
    email: 'Email address',
    emailVerified: 'Email verified',
    phone: 'Phone',
    updatedAt: 'Profile changed',
    sub: 'Identifier',
    access: 'Carnet’s access',
    scope: 'Scopes',
    expires: 'Expires',
    accessToken: 'Access token fingerprint',
    refreshToken: 'Refresh token fingerprint',
    renew: 'Renew access',
    yes: 'yes',
    no: 'no',
  },
  retry: 'Try again',
  failures: {
    session_lost: {
      title: 'Your session was lost',
      text: 'Signing in took too long, or your browser didn’t keep Carnet’s cookie. Just start again.',
    },
    state_mismatch: {
      title: 'This response isn’t ours',
      text: 'The response doesn’t match any sign-in that began in this browser, or it was already used. To be safe, Carnet ignored it.',
    },
    access_denied: {
      title: 'You refused access',
      text: 'Nothing was shared with Carnet. You can change your mind at any time.',
    },
    request_refused: {
      title: 'Sign-in didn’t work',
      text: 'The sign-in service refused Carnet’s request. Try again. If the problem persists, contact Carnet’s administrator.',
    },
    grant_ended: {
      title: 'The sign-in has expired',
      text: 'The code has expired or was already used. Just start again.',
    },
    token_refused: {
      title: 'Access has expired',
      text: 'The sign-in service no longer accepts Carnet’s access. Sign in again.',
    },
    misconfigured: {
      title: 'Carnet isn’t set up correctly',
      text: 'The sign-in service doesn’t know this application. Carnet’s administrator needs to check the settings.',
    },
    untrusted: {
      title: 'Unexpected response',
      text: 'The sign-in service’s response didn’t pass Carnet’s checks, so Carnet ignored it.',
    },
    busy: {
      title: 'One moment, please',
      text: 'The sign-in service is getting too many requests. Try again in a minute.',
    },
    unreachable: {
      title: 'The sign-in service isn’t responding',
      text: 'Carnet can’t reach it right now. Try again in a moment.',
    },
  },
  badUrl: { title: 'Bad request', text: 'This isn’t a valid address.' },
  crossSite: { title: 'Request refused', text: 'This form didn’t come from Carnet.' },
  notFound: { title: 'Page not found', text: 'There’s nothing at this address.' },
  badRequest: { title: 'Bad request', text: 'Carnet didn’t understand this request.' },
  internalError: { title: 'Something went wrong', text: 'Carnet had a problem. Try again.' },
};

export const textsByLanguage: Record<Language, Texts> = { fr, en };

/** Returns the first supported language. Browsers already sort by weight, so weights are ignored. */
export function preferredLanguage(header: string | undefined): Language {
  const tags = (header ?? '').split(',').map((range) => range.trim().slice(0, 2).toLowerCase());
  return tags.find(isLanguage) ?? 'fr';
}

export const isLanguage = (tag: unknown): tag is Language =>
  typeof tag === 'string' && Object.hasOwn(languageNames, tag);
