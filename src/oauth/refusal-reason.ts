// Reasons for refusals. They contain no credentials. Texts are in `diagnostics` in src/i18n.

const URI_DIFFERENCE_KINDS = ['scheme', 'host', 'port', 'path', 'trailing_slash', 'query'] as const;

/** A missing part is ''. */
export interface UriDifference {
  kind: (typeof URI_DIFFERENCE_KINDS)[number];
  sent: string;
  registered: string;
}

type KindWithoutDetails =
  // Authorization requests
  | 'client_unknown'
  | 'client_metadata_invalid'
  | 'application_suspended'
  | 'request_object_unsupported'
  | 'pushed_request_unknown'
  | 'pushed_request_expired'
  | 'pushed_request_required'
  | 'state_missing'
  | 'challenge_missing'
  | 'prompt_conflict'
  | 'max_age'
  | 'claims_invalid'
  | 'id_token_hint'
  | 'not_signed_in'
  | 'signed_in_as_other_user'
  | 'consent_needed'
  | 'user_denied'
  | 'request_expired'
  | 'browser_mismatch'
  | 'request_unreadable'
  // Client authentication
  | 'multiple_credentials'
  | 'client_id_mismatch'
  | 'basic_header_invalid'
  | 'assertion_type_unsupported'
  | 'assertion_invalid'
  | 'assertion_audience_mismatch'
  | 'assertion_replayed'
  | 'secret_missing'
  | 'secret_not_expected'
  | 'secret_has_whitespace'
  | 'secret_percent_encoded'
  | 'secret_is_client_id'
  | 'secret_checksum_invalid'
  | 'secret_prefix_invalid'
  | 'secret_belongs_to_api'
  | 'secret_belongs_to_client'
  | 'api_endpoint_not_allowed'
  | 'secret_unknown'
  | 'confidential_client_required'
  // Codes and tokens
  | 'client_credentials_disabled'
  | 'device_flow_disabled'
  | 'device_authorization_pending'
  | 'device_polls_too_fast'
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
  | 'mfa_required'
  | 'access_ended'
  | 'resource_limit_exceeded'
  | 'resource_ambiguous'
  | 'device_resource_unsupported'
  | 'access_token_missing'
  | 'multiple_access_tokens'
  | 'access_token_in_form'
  | 'access_token_expired'
  // Logout requests
  | 'logout_hint'
  // Requests of any kind
  | 'rate_limited'
  | 'https_required'
  | 'request_incomplete'
  | 'body_too_large'
  | 'service_failed'
  | 'service_busy'
  | 'not_found'
  // Pages of this service
  | 'page_form_invalid'
  | 'sign_up_disabled';

type TokenKind = 'code' | 'refresh_token' | 'access_token';

/** Values from requests are redacted. */
interface ReasonProperties {
  redirect_uri_unregistered: { sent: string; nearest?: string; differences?: UriDifference[] };
  redirect_uri_mismatch: { sent: string; nearest: string; differences: UriDifference[] };
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
  scope_beyond_api_grant: { sent: string };
  resource_unknown: { sent: string };
  resource_not_open_to_client: { sent: string };
  resource_blocks_client: { sent: string };
  resource_suspended: { sent: string };
  scope_not_of_api: { resource: string; sent: string };
  resource_beyond_grant: { sent: string };
  challenge_method: { sent: string };
  challenge_malformed: { length: number };
  verifier_malformed: { length: number };
  grant_type_unsupported: { sent: string };
  /** Both values are in seconds. `seconds` counts from `exp`, and `age` counts from `iat`. */
  assertion_expired: { seconds: number; age: number };
  /** The token becomes valid in `seconds`, according to `iat` or `nbf`. */
  assertion_not_yet_valid: { seconds: number };
  secret_expired: { number: number; created: string; expired: string };
  secret_belongs_to_other_client: { holder: string };
  token_malformed: { what: TokenKind };
  token_altered: { what: TokenKind };
  token_kind_mismatch: { sent: TokenKind; expected: TokenKind };
  token_belongs_to_other_client: { what: TokenKind | 'id_token' };
  token_not_found: { what: TokenKind };
  secret_truncated: { length: number };
  userinfo_scope_missing: { scope: string };
  logout_redirect_uri_unregistered: { sent: string };
  method: { sent: string };
  content_type: { sent: string };
}

export type RefusalReason =
  | { kind: KindWithoutDetails }
  | { [Kind in keyof ReasonProperties]: { kind: Kind } & ReasonProperties[Kind] }[keyof ReasonProperties];
export type RefusalKind = RefusalReason['kind'];

export type DiagnosticWarning = { kind: 'scopes_ignored'; scopes: string } | { kind: 'api_suspended' };
export type DiagnosticKind = RefusalKind | DiagnosticWarning['kind'];

export interface IdentifiedClient {
  clientId: string;
  /** Always false for public clients. */
  authenticated: boolean;
}

/** Data for diagnosing a refusal. Never stored. */
export interface DiagnosticContext {
  secretHash?: Buffer | null;
  token?: TokenContext;
  /** The API's identifier, unless the reason contains it. */
  resource?: string;
  bearer?: string;
  /** Whether the SQL statement returned no definite reason. */
  isAmbiguous?: boolean;
}

export interface TokenContext {
  tokenKind: TokenKind;
  userId: string;
  grantId: string;
  rotation: number;
  /** Set only for codes. For tokens, the stored grant contains the client ID. */
  clientId?: string;
}
