// Why a request was refused: a kind and its facts, given where the rule is. The dictionaries put each kind into words for
// the application's owner (`diagnostics.causes`, `.remedies`). Never a secret, code or token.

/** The parts of a redirect URI that people get wrong. */
const DIFFERENCES = ['scheme', 'host', 'port', 'path', 'trailing_slash', 'query'] as const;

/** A part in which the URI that was sent and a registered one differ; '' where one of them lacks it. */
export interface Difference {
  kind: (typeof DIFFERENCES)[number];
  sent: string;
  registered: string;
}

/** Kinds that say all there is to say. */
type PlainKind =
  // An authorization request
  | 'application_unknown'
  | 'agent_unreadable'
  | 'application_suspended'
  | 'request_object'
  | 'pushed_request_unknown'
  | 'pushed_request_expired'
  | 'push_required'
  | 'state_missing'
  | 'challenge_missing'
  | 'prompt_conflict'
  | 'max_age'
  | 'claims_unreadable'
  | 'id_token_hint'
  | 'not_signed_in'
  | 'signed_in_as_other'
  | 'consent_needed'
  | 'person_refused'
  | 'request_expired'
  | 'request_of_other_browser'
  | 'request_unreadable'
  // Who the application is
  | 'credentials_twice'
  | 'client_ids_differ'
  | 'basic_unreadable'
  | 'assertion_type'
  | 'assertion_refused'
  | 'assertion_audience'
  | 'assertion_used'
  | 'secret_missing'
  | 'secret_not_expected'
  | 'secret_white_space'
  | 'secret_encoded'
  | 'secret_is_client_id'
  | 'secret_altered'
  | 'secret_not_ours'
  | 'secret_of_api'
  | 'secret_of_application'
  | 'api_elsewhere'
  | 'secret_unknown'
  | 'confidential_only'
  // Codes and tokens
  | 'service_off'
  | 'device_off'
  | 'device_waiting'
  | 'device_too_fast'
  | 'device_code_unknown'
  | 'device_code_expired'
  | 'verifier_missing'
  | 'verifier_not_expected'
  | 'verifier_is_challenge'
  | 'verifier_mismatch'
  | 'code_expired'
  | 'code_used'
  | 'refresh_token_expired'
  | 'refresh_token_used'
  | 'second_factor_demanded'
  | 'access_ended'
  | 'resource_many'
  | 'resource_ambiguous'
  | 'resource_of_device'
  | 'access_token_missing'
  | 'access_token_sent_twice'
  | 'access_token_in_form'
  | 'access_token_expired'
  // Signing out
  | 'logout_hint'
  // Any request
  | 'rate_limited'
  | 'https_required'
  | 'request_incomplete'
  | 'body_too_large'
  | 'service_failed'
  | 'service_busy'
  | 'not_found'
  // Pages of this service that are no application's affair
  | 'page_form'
  | 'sign_up_closed';

type TokenKind = 'code' | 'refresh_token' | 'access_token';

/** Kinds that name what they are about; texts from outside are cut to what may be shown (`printable`). */
interface Facts {
  callback_unregistered: { sent: string; nearest?: string; differences?: Difference[] };
  exchange_callback: { sent: string; nearest: string; differences: Difference[] };
  parameter_repeated: { parameter: string };
  parameter_malformed: { parameter: string };
  parameter_missing: { parameter: string };
  parameter_too_long: { parameter: string };
  response_type: { sent: string };
  response_mode: { sent: string };
  acr_unmet: { sent: string };
  scope_unknown: { sent: string };
  scope_not_registered: { scope: string };
  scope_beyond_grant: { scope: string };
  scope_beyond_service: { sent: string };
  resource_unknown: { sent: string };
  resource_closed: { sent: string };
  resource_excluded: { sent: string };
  resource_suspended: { sent: string };
  scope_not_of_api: { resource: string; sent: string };
  resource_beyond_grant: { sent: string };
  challenge_method: { sent: string };
  challenge_malformed: { length: number };
  verifier_malformed: { length: number };
  grant_type_unsupported: { sent: string };
  /** Seconds since its end, and since it was made. */
  assertion_expired: { seconds: number; age: number };
  /** Seconds by which it was made, or begins, after our time. */
  assertion_early: { seconds: number };
  secret_expired: { number: number; created: string; expired: string };
  secret_of_other: { holder: string };
  token_unreadable: { what: TokenKind };
  token_altered: { what: TokenKind };
  token_mixed_up: { sent: TokenKind; expected: TokenKind };
  token_of_other: { what: TokenKind | 'id_token' };
  token_gone: { what: TokenKind };
  secret_shortened: { length: number };
  profile_scope_missing: { scope: string };
  logout_address: { sent: string };
  method: { sent: string };
  content_type: { sent: string };
}

/** Every reason that is told apart. */
export type Reason =
  | { kind: PlainKind }
  | { [Kind in keyof Facts]: { kind: Kind } & Facts[Kind] }[keyof Facts];
export type ReasonKind = Reason['kind'];

/** What an owner is told of a request that was served: no refusal carries it. */
export type Notice = { kind: 'scope_words_ignored'; words: string } | { kind: 'api_suspended' };
export type NotedKind = ReasonKind | Notice['kind'];

/** Who was refused, as the place that refuses knows it. */
export interface KnownApplication {
  /** Or the identifier of an API, where one authenticates. */
  clientId: string;
  /** Whether it had proved who it is: by a secret or a key, never by its name alone. */
  authenticated: boolean;
}

/** What the place that refuses holds in its hands, and only the database can tell more about. Nothing of it is kept. */
export interface Clues {
  /** SHA-256 of the secret that did not authenticate; null when none was sent. */
  secretHash?: Buffer | null;
  ticket?: TicketClue;
  /** The identifier of the API that it was about, where the reason does not say so itself. */
  resource?: string;
  /** A bearer token that nobody is behind (any more). */
  bearer?: string;
  /** The statement that refused did not say which of several reasons it was. */
  unsettled?: boolean;
}

/** The grant that a code or token belongs to. */
export interface TicketClue {
  what: TokenKind;
  userId: string;
  grantId: string;
  generation: number;
  /** The client that a code was issued to: its grant is only written when it is redeemed. */
  clientId?: string;
}
