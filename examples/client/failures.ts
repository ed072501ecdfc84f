// Owns what can go wrong with the sign-in service, and what a person is told about it.
import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client';

const kinds = {
  session_lost: {
    status: 400,
    title: 'Votre session a été perdue',
    text: 'La connexion a pris trop de temps, ou votre navigateur n’a pas gardé le cookie de Carnet. Il suffit de recommencer.',
  },
  state_mismatch: {
    status: 400,
    title: 'Cette réponse n’est pas la nôtre',
    text: 'La réponse reçue ne correspond à aucune connexion commencée dans ce navigateur, ou elle a déjà servi. Par prudence, Carnet l’a ignorée.',
  },
  access_denied: {
    status: 403,
    title: 'Vous avez refusé l’accès',
    text: 'Rien n’a été partagé avec Carnet. Vous pouvez changer d’avis à tout moment.',
  },
  request_refused: {
    status: 400,
    title: 'La connexion n’a pas abouti',
    text: 'Le service de connexion a refusé la demande de Carnet. Réessayez ; si cela se répète, prévenez la personne qui s’occupe de Carnet.',
  },
  grant_ended: {
    status: 400,
    title: 'La connexion a expiré',
    text: 'Le code reçu a expiré ou a déjà servi. Il suffit de recommencer.',
  },
  token_refused: {
    status: 401,
    title: 'L’accès a expiré',
    text: 'Le service de connexion ne reconnaît plus l’accès de Carnet. Connectez-vous de nouveau.',
  },
  misconfigured: {
    status: 502,
    title: 'Carnet est mal configuré',
    text: 'Le service de connexion ne reconnaît pas cette application. La personne qui s’occupe de Carnet doit vérifier ses réglages.',
  },
  untrusted: {
    status: 502,
    title: 'Réponse inattendue',
    text: 'La réponse du service de connexion n’a pas passé les vérifications de Carnet, qui l’a ignorée.',
  },
  busy: {
    status: 503,
    title: 'Un peu de patience',
    text: 'Le service de connexion reçoit trop de demandes. Réessayez dans une minute.',
  },
  unreachable: {
    status: 502,
    title: 'Le service de connexion ne répond pas',
    text: 'Carnet n’arrive pas à le joindre pour l’instant. Réessayez dans un moment.',
  },
} as const;

type FailureKind = keyof typeof kinds;

/** A failure with words for a person; `cause` is for the log. */
export class SignInFailure extends Error {
  readonly kind: FailureKind;
  readonly status: number;
  readonly title: string;
  readonly text: string;
  constructor(kind: FailureKind, cause?: unknown) {
    super(kind, { cause });
    this.kind = kind;
    this.status = kinds[kind].status;
    this.title = kinds[kind].title;
    this.text = kinds[kind].text;
  }
}

const errorKinds: Record<string, FailureKind> = {
  access_denied: 'access_denied',
  invalid_grant: 'grant_ended',
  invalid_client: 'misconfigured',
  unauthorized_client: 'misconfigured',
  rate_limited: 'busy',
  server_error: 'unreachable',
  temporarily_unavailable: 'unreachable',
};

function kindOfStatus(status: number): FailureKind {
  if (status === 429) return 'busy';
  return status >= 500 ? 'unreachable' : 'misconfigured';
}

function kindOf(error: unknown): FailureKind | undefined {
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError)
    return errorKinds[error.error] ?? 'request_refused';
  if (error instanceof WWWAuthenticateChallengeError)
    return error.status === 401 ? 'token_refused' : 'request_refused';
  if (error instanceof ClientError) {
    if (error.cause instanceof Response) return kindOfStatus(error.cause.status);
    return error.code === 'OAUTH_TIMEOUT' || error.code === 'OAUTH_ABORT' ? 'unreachable' : 'untrusted';
  }
  // fetch rejects with a TypeError that carries the socket's error; any other TypeError is a mistake of ours
  if (error instanceof TypeError && error.cause instanceof Error) return 'unreachable';
  return undefined;
}

/** Turns an error of openid-client into a SignInFailure; leaves any other as it is. For use in `catch`. */
export function rethrow(error: unknown): never {
  const kind = kindOf(error);
  throw kind ? new SignInFailure(kind, error) : error;
}
