// French: diagnostics. The page fills in the placeholders in braces.

import type { DiagnosticKind, UriDifference } from '../../oauth/refusal-reason.ts';
import { withDe } from '../elision.ts';

const NEW_SIGN_IN = 'La personne doit se connecter de nouveau depuis votre application.';
const NOT_AT_FAULT = 'Votre application n’y est pour rien. La personne peut recommencer.';
const CHECK_SECRET = 'Vérifiez la variable d’environnement qui le contient, ou créez un nouveau secret.';

export const diagnostics = {
  title: (application: string) => `Diagnostic ${withDe(application)}`,
  adminNotice:
    'Cette application appartient à une autre personne. Vous voyez cette page en tant qu’administrateur.',
  reason: 'Raison',
  anyReason: 'Toutes',
  anyEndpoint: 'Tous',
  filter: 'Filtrer',
  found: (incident: string) => `Incident ${incident}`,
  notFound: (incident: string) =>
    `Aucune requête conservée pour cette application ne porte le code ${incident}. Vérifiez-le ; la requête a aussi pu être remplacée par de plus récentes.`,
  showAll: 'Voir toutes les requêtes refusées',
  refused: 'Requêtes refusées',
  noMatch: 'Aucune requête refusée ne correspond à ce filtre.',
  none: 'Aucune requête refusée.',
  noneAdvice: 'Si une connexion échoue, la raison exacte s’affichera ici en quelques secondes.',
  times: (count: number) => `${count} fois`,
  since: 'Première occurrence',
  endpoint: 'Point de terminaison',
  error: 'Erreur',
  address: 'Adresse IP',
  forgotten: 'effacée',
  incident: 'Code d’incident',
  incidents: 'Codes d’incident',
  others: (count: number) => `et ${count} autres`,
  sent: 'Envoyée',
  registered: 'Enregistrée',
  authorized: 'Dans la requête d’autorisation',
  senders: { application: 'Application', holder: 'Porteur d’un jeton', anyone: 'Non authentifiée' },
  fromApplication: 'de l’application',
  /** Shown instead of an error code if the request was not refused. */
  served: 'aucune',
  fromHolder: 'avec un code, un jeton ou un secret expiré',
  fromAnyone: 'requête non authentifiée',
  information: 'info',
  endpoints: {
    authorize: 'Autorisation',
    par: 'Requête poussée (PAR)',
    device: 'Requête d’un appareil',
    token: 'Jetons',
    introspect: 'Introspection',
    revoke: 'Révocation',
    userinfo: 'Profil (userinfo)',
    logout: 'Déconnexion',
  },

  checklist: 'Liste de contrôle de l’intégration',
  complete: 'Intégration terminée',
  seen: 'en place',
  notSeen: 'pas encore en place',
  optional: 'facultatif',
  alsoWithout: 'parfois absent',
  never: 'absent',
  checks: {
    pkce: 'PKCE',
    state: 'state',
    nonce: 'nonce',
    exchange: 'Échange du code',
    renewal: 'Renouvellement',
    revocation: 'Révocation',
    userinfo: 'Userinfo',
  },

  differences: {
    scheme: 'L’URL envoyée commence par {sent}, celle qui est enregistrée par {registered}.',
    host: 'L’hôte envoyé est {sent}, celui qui est enregistré est {registered}.',
    port: 'Le port envoyé ({sent}) n’est pas celui qui est enregistré ({registered}).',
    path: 'Le chemin envoyé est {sent}, celui qui est enregistré est {registered}. La casse et l’encodage doivent être identiques.',
    trailing_slash:
      'Le chemin envoyé est {sent}, celui qui est enregistré est {registered} : attention à la barre oblique finale.',
    query:
      'Les paramètres ou le fragment envoyés sont {sent}, ceux qui sont enregistrés {registered}. L’ordre doit être le même.',
  } satisfies Record<UriDifference['kind'], string>,
  nothing: 'aucun',

  titles: {
    redirect_uri_unregistered: 'URL de retour non enregistrée',
    client_unknown: 'Application inconnue',
    client_metadata_invalid: 'Document de l’agent inutilisable',
    application_suspended: 'Application suspendue',
    parameter_repeated: 'Paramètre répété',
    parameter_malformed: 'Paramètre mal encodé',
    parameter_missing: 'Paramètre manquant',
    parameter_too_long: 'Paramètre trop long',
    request_object_unsupported: 'Objet de requête non pris en charge',
    pushed_request_unknown: 'Requête poussée inconnue',
    response_type: 'response_type non pris en charge',
    response_mode: 'response_mode non pris en charge',
    scope_unknown: 'Portées inconnues',
    scopes_ignored: 'Portées inconnues ignorées',
    scope_not_registered: 'Portée non activée',
    state_missing: 'state manquant',
    challenge_missing: 'PKCE manquant',
    challenge_method: 'Méthode PKCE non prise en charge',
    challenge_malformed: 'code_challenge mal formé',
    prompt_conflict: 'prompt=none combiné avec une autre valeur',
    max_age: 'max_age incorrect',
    claims_invalid: 'claims incorrect',
    acr_unmet: 'acr exigé indisponible',
    id_token_hint: 'id_token_hint non reconnu',
    not_signed_in: 'Personne non connectée',
    signed_in_as_other_user: 'Connexion avec un autre compte',
    consent_needed: 'Autorisation pas encore donnée',
    user_denied: 'Refus de la personne',
    request_expired: 'Réponse trop tardive de la personne',
    browser_mismatch: 'Ouverture dans un autre navigateur',
    request_unreadable: 'Requête illisible',
    pushed_request_expired: 'Requête poussée expirée',
    pushed_request_required: 'Requête non poussée',
    grant_type_unsupported: 'grant_type non pris en charge',
    client_credentials_disabled: 'client_credentials non autorisé',
    scope_beyond_api_grant: 'Portée non accordée par le propriétaire de l’API',
    device_flow_disabled: 'Connexion d’appareils non activée',
    device_authorization_pending: 'Appareil pas encore autorisé',
    device_polls_too_fast: 'Appareil trop insistant',
    device_code_unknown: 'device_code inconnu ou déjà utilisé',
    device_code_expired: 'device_code expiré',
    multiple_credentials: 'Secret envoyé deux fois',
    client_id_mismatch: 'Client ID contradictoires',
    basic_header_invalid: 'En-tête HTTP Basic illisible',
    assertion_type_unsupported: 'Type d’assertion incorrect',
    assertion_invalid: 'Assertion refusée',
    assertion_audience_mismatch: 'Assertion pour un autre destinataire',
    assertion_expired: 'Assertion expirée',
    assertion_not_yet_valid: 'Assertion pas encore valable',
    assertion_replayed: 'Assertion déjà utilisée',
    secret_missing: 'Secret manquant',
    secret_not_expected: 'Secret inattendu',
    secret_expired: 'Secret expiré',
    secret_belongs_to_other_client: 'Secret d’une autre application',
    secret_has_whitespace: 'Espace dans le secret',
    secret_percent_encoded: 'Secret encodé deux fois',
    secret_is_client_id: 'Client ID envoyé comme secret',
    secret_truncated: 'Secret tronqué',
    secret_checksum_invalid: 'Faute dans le secret',
    secret_prefix_invalid: 'Secret inconnu',
    secret_belongs_to_api: 'Secret d’API envoyé',
    secret_belongs_to_client: 'Secret d’application envoyé',
    api_endpoint_not_allowed: 'api_id envoyé comme Client ID',
    api_suspended: 'Introspection pendant la suspension',
    secret_unknown: 'Mauvais secret',
    confidential_client_required: 'Application publique',
    verifier_malformed: 'code_verifier mal formé',
    verifier_missing: 'code_verifier manquant',
    verifier_not_expected: 'code_verifier inattendu',
    verifier_is_challenge: 'code_challenge envoyé comme code_verifier',
    verifier_mismatch: 'Mauvais code_verifier',
    redirect_uri_mismatch: 'URL de retour différente',
    token_malformed: 'Non délivré par ce service',
    token_altered: 'Valeur tronquée ou modifiée',
    token_kind_mismatch: 'Mauvais type de jeton',
    token_not_found: 'Trop ancien ou révoqué',
    resource_ambiguous: 'Plusieurs API possibles',
    code_expired: 'Code expiré',
    code_used: 'Code déjà utilisé',
    refresh_token_expired: 'refresh_token expiré',
    refresh_token_used: 'refresh_token déjà utilisé',
    mfa_required: 'Second facteur exigé',
    access_ended: 'Accès terminé',
    scope_beyond_grant: 'Portée non autorisée par la personne',
    device_resource_unsupported: 'resource non pris en charge pour les appareils',
    resource_limit_exceeded: 'Trop de ressources',
    resource_unknown: 'API inconnue',
    resource_not_open_to_client: 'Application non autorisée par l’API',
    resource_blocks_client: 'Accès à l’API bloqué',
    resource_suspended: 'API suspendue',
    scope_not_of_api: 'Aucune portée de cette API',
    resource_beyond_grant: 'API non autorisée par la personne',
    token_belongs_to_other_client: 'Délivré à une autre application',
    multiple_access_tokens: 'access_token envoyé deux fois',
    access_token_expired: 'access_token expiré',
    access_token_missing: 'access_token manquant',
    access_token_in_form: 'access_token dans le formulaire',
    userinfo_scope_missing: 'Portée manquante pour userinfo',
    logout_hint: 'id_token de déconnexion non reconnu',
    logout_redirect_uri_unregistered: 'URL de retour après déconnexion non enregistrée',
    method: 'Mauvaise méthode HTTP',
    content_type: 'Corps différent d’un formulaire',
    rate_limited: 'Trop de requêtes',
    https_required: 'http:// au lieu de https://',
    request_incomplete: 'Requête incomplète',
    body_too_large: 'Corps trop grand',
    service_failed: 'Erreur de ce service',
    service_busy: 'Service surchargé',
    not_found: 'URL inconnue',
    page_form_invalid: 'Formulaire expiré ou non conforme',
    sign_up_disabled: 'Création de comptes fermée',
  } satisfies Record<DiagnosticKind, string>,
  causes: {
    redirect_uri_unregistered: 'L’URL de retour envoyée n’est pas enregistrée.',
    client_unknown: 'L’application n’était pas enregistrée à ce moment-là.',
    client_metadata_invalid: 'Le document de l’agent n’était pas utilisable.',
    parameter_repeated: 'Le paramètre {parameter} a été envoyé plusieurs fois : envoyez-le une seule fois.',
    parameter_malformed: 'Le paramètre {parameter} n’est pas du texte UTF-8 correctement encodé.',
    parameter_missing: 'Le paramètre {parameter} manque ou est vide.',
    parameter_too_long: 'Le paramètre {parameter} est trop long.',
    request_object_unsupported:
      'La requête utilise `request` ou `request_uri`, que ce point de terminaison ne prend pas en charge.',
    pushed_request_unknown: 'Ce `request_uri` n’a pas été délivré à cette application par `/oauth/par`.',
    response_type: '`response_type` vaut « {sent} » : envoyez `code`.',
    response_mode: '`response_mode` vaut « {sent} », qui n’est pas pris en charge.',
    scope_unknown: 'Aucune des portées demandées (« {sent} ») n’existe.',
    scopes_ignored: 'Ces portées inconnues ont été ignorées : « {scopes} ».',
    scope_not_registered: 'La portée « {scope} » n’est pas activée pour cette application.',
    challenge_missing: 'PKCE manquait : cette application doit envoyer `code_challenge`.',
    challenge_method: '`code_challenge_method` vaut « {sent} » ; seul `S256` est accepté.',
    challenge_malformed: '`code_challenge` est mal formé : {length} caractères reçus au lieu de 43.',
    prompt_conflict: '`prompt=none` a été combiné avec une autre valeur : il doit être seul.',
    max_age: '`max_age` doit être un nombre entier de secondes.',
    claims_invalid: '`claims` n’est pas une requête de claims OpenID Connect valable.',
    acr_unmet: 'L’`acr` essentiel « {sent} » ne peut pas être satisfait.',
    id_token_hint: '`id_token_hint` ne contient pas un `id_token` délivré à cette application.',
    not_signed_in:
      '`prompt=none` : la personne n’était pas connectée ici, ou pas comme demandé (second facteur, par exemple).',
    signed_in_as_other_user: 'La personne s’est connectée avec un autre compte que celui de `id_token_hint`.',
    consent_needed: '`prompt=none` : la personne n’a pas encore donné son autorisation.',
    user_denied: 'La personne a refusé de partager ses informations.',
    request_expired: 'La personne a mis plus d’une heure à répondre.',
    browser_mismatch: 'La page a été ouverte dans un autre navigateur que celui où la requête a commencé.',
    request_unreadable:
      'La requête n’a pas pu être lue : elle est mal formée ou contient plus de 200 paramètres.',
    pushed_request_expired: 'La requête poussée avait expiré quand la personne est arrivée sur ce service.',
    pushed_request_required:
      'Cette application doit pousser ses requêtes, mais celle-ci a été envoyée dans l’URL.',
    grant_type_unsupported: '`grant_type` vaut « {sent} », qui n’est pas pris en charge.',
    client_credentials_disabled:
      'L’application ne peut pas demander de jetons pour cette API pour son propre compte (`client_credentials`).',
    scope_beyond_api_grant: 'L’application a demandé pour son propre compte la portée « {sent} ».',
    device_flow_disabled: 'La connexion d’appareils n’est pas activée pour cette application.',
    device_authorization_pending: 'La personne n’avait pas encore autorisé l’appareil.',
    device_polls_too_fast: 'L’appareil a interrogé le service trop souvent.',
    device_code_unknown: 'Ce `device_code` est inconnu, ou a déjà servi.',
    device_code_expired: 'Le `device_code` a expiré avant que la personne n’autorise l’appareil.',
    multiple_credentials: 'Le secret a été envoyé deux fois : dans le formulaire et par HTTP Basic.',
    client_id_mismatch: 'Le `client_id` du formulaire doit être celui de l’en-tête HTTP Basic.',
    assertion_type_unsupported: '`client_assertion_type` manquait, ou n’est pas celui d’un JWT.',
    assertion_invalid: 'L’assertion signée (`private_key_jwt`) n’a pas été acceptée.',
    assertion_audience_mismatch:
      'L’assertion signée (`private_key_jwt`) n’est pas destinée à ce service, ou pas à lui seul.',
    assertion_expired: 'L’assertion signée (`private_key_jwt`) a expiré.',
    assertion_not_yet_valid: 'L’assertion signée (`private_key_jwt`) n’est pas encore valable.',
    assertion_replayed: 'L’assertion signée (`private_key_jwt`) avait déjà servi.',
    secret_not_expected: '`client_secret` a été envoyé, mais une application publique n’a pas de secret.',
    secret_expired: 'Le secret n° {number} du {created} a expiré le {expired}.',
    secret_belongs_to_other_client: 'Ce secret est celui d’une autre de vos applications ou API, {holder}.',
    secret_has_whitespace: 'Le secret envoyé contient une espace ou un saut de ligne.',
    secret_percent_encoded: 'Le secret envoyé contient « % » : il a sans doute été encodé deux fois.',
    secret_is_client_id: 'Le Client ID a été envoyé dans `client_secret`.',
    secret_truncated: 'Le secret envoyé est tronqué : il n’a que {length} caractères.',
    secret_checksum_invalid: 'Le secret envoyé contient une faute : sa somme de contrôle est fausse.',
    secret_prefix_invalid: 'Le secret envoyé est inconnu, et n’a pas la forme d’un secret créé ici.',
    secret_belongs_to_api: 'Le secret envoyé est celui d’une API, utilisable seulement pour l’introspection.',
    secret_belongs_to_client: 'Le secret envoyé est celui d’une application.',
    api_endpoint_not_allowed: 'L’`api_id` de l’API a été envoyé comme Client ID.',
    api_suspended: 'Votre API a envoyé une requête d’introspection alors qu’elle est suspendue.',
    secret_unknown: 'Le secret est bien formé, mais il n’est pas (ou plus) valable pour cet identifiant.',
    confidential_client_required:
      'Seule une application avec un secret ou une clé peut utiliser l’introspection pour ses jetons.',
    verifier_missing:
      '`code_verifier` manquait, alors que la requête d’autorisation avait un `code_challenge`.',
    verifier_not_expected:
      '`code_verifier` a été envoyé, mais la requête d’autorisation n’avait pas de `code_challenge`.',
    verifier_is_challenge: '`code_verifier` contient le `code_challenge` lui-même.',
    verifier_mismatch: '`code_verifier` ne correspond pas au `code_challenge` de la requête d’autorisation.',
    redirect_uri_mismatch:
      'Dans la requête de jeton, `redirect_uri` doit être celui de la requête d’autorisation.',
    token_malformed: 'La valeur envoyée comme {what} n’a pas été délivrée par ce service.',
    token_altered: 'La valeur envoyée comme {what} est tronquée ou modifiée.',
    token_kind_mismatch: 'Un {sent} a été envoyé là où il fallait un {expected}.',
    token_not_found: 'La valeur envoyée comme {what} est trop ancienne, ou a été révoquée et supprimée.',
    resource_ambiguous:
      'Un jeton d’accès est valable pour une seule API, mais `resource` n’en indiquait pas exactement une.',
    code_expired: 'Le code avait expiré : il n’est valable qu’une minute environ.',
    refresh_token_expired: 'Le `refresh_token` avait expiré : il est resté trop longtemps sans servir.',
    mfa_required: 'Un second facteur est désormais exigé, mais cette autorisation a été donnée sans.',
    access_ended: 'L’autorisation n’est plus active.',
    scope_beyond_grant: 'La personne n’a pas autorisé la portée « {scope} ».',
    device_resource_unsupported: 'La requête d’un appareil contenait `resource`.',
    resource_limit_exceeded:
      'La requête indique plus de cinq ressources. Indiquez seulement les API utiles à cette connexion.',
    resource_unknown: 'Aucune API n’est enregistrée ici avec l’identifiant {sent}.',
    resource_not_open_to_client: 'L’API {sent} n’est pas ouverte à cette application.',
    resource_blocks_client: 'Le propriétaire de l’API {sent} a bloqué l’accès de cette application.',
    resource_suspended: 'L’API {sent} est suspendue.',
    scope_not_of_api:
      '`scope` (« {sent} ») ne contient aucune portée de l’API {resource} accessible à cette application.',
    resource_beyond_grant: 'La personne n’a pas donné accès à la ressource {sent}.',
    token_belongs_to_other_client: 'La valeur envoyée comme {what} a été délivrée à une autre application.',
    multiple_access_tokens: 'L’`access_token` a été envoyé deux fois : dans l’en-tête et dans le formulaire.',
    access_token_in_form:
      'L’`access_token` a été envoyé dans le formulaire, ce qui exige les noms standard des champs du profil.',
    userinfo_scope_missing: 'L’`access_token` n’a pas la portée {scope}, exigée par userinfo.',
    logout_hint: 'Déconnexion : `id_token_hint` n’est pas un `id_token` de ce service.',
    logout_redirect_uri_unregistered: 'Déconnexion : l’URL de retour {sent} n’est pas enregistrée.',
    method: 'Ce point de terminaison a été appelé avec {sent}.',
    content_type: 'Le corps n’était pas un formulaire (`Content-Type` : « {sent} »).',
    rate_limited: 'Trop de requêtes en une minute depuis cette adresse IP.',
    https_required: 'La requête a utilisé `http://` : utilisez `https://`.',
    request_incomplete: 'La requête était incomplète : la connexion a été interrompue.',
    body_too_large: 'Le corps de la requête est trop grand : n’envoyez que les paramètres nécessaires.',
    service_failed: 'Une erreur s’est produite dans ce service. Votre application n’est pas en cause.',
    not_found: 'Cette URL n’existe pas sur ce service.',
    page_form_invalid:
      'Le navigateur de la personne a envoyé à une page de ce service un formulaire expiré ou non conforme.',
    sign_up_disabled: 'La création de comptes est fermée sur ce service.',
  } as Partial<Record<DiagnosticKind, string>>,
  remedies: {
    redirect_uri_unregistered:
      'Envoyez une URL enregistrée, au caractère près, ou enregistrez celle-ci si elle est à vous : n’importe qui a pu l’envoyer. Pour un programme sur la machine de l’utilisateur, préférez 127.0.0.1 à localhost : tous les ports sont alors acceptés.',
    client_unknown:
      'Vérifiez le Client ID envoyé : copiez-le depuis la page de l’application. Si c’est le bon, recommencez.',
    client_metadata_invalid: 'Consultez la raison dans la réponse.',
    application_suspended: 'Contactez votre administrateur.',
    parameter_malformed:
      'Construisez l’URL ou le formulaire avec une fonction de bibliothèque, comme URLSearchParams.',
    parameter_too_long: 'Gardez ces données de votre côté et n’envoyez qu’une valeur aléatoire courte.',
    request_object_unsupported: 'Envoyez les paramètres eux-mêmes, ou poussez-les d’abord vers `/oauth/par`.',
    pushed_request_unknown:
      'Il a été modifié ou tronqué, ou il vient d’une autre application. Envoyez le `request_uri` tel que vous l’avez reçu, avec le `client_id` qui a poussé la requête.',
    response_mode: 'Retirez `response_mode`, ou envoyez une valeur du document de découverte.',
    scope_unknown: 'Demandez `openid`, `profile`, `email` ou `phone`, séparés par des espaces.',
    scopes_ignored:
      'La requête n’a pas été refusée. Si votre bibliothèque exige de recevoir chaque portée demandée, retirez celles qui sont inconnues.',
    scope_not_registered: 'Ajoutez-la dans les réglages de l’application, ou ne la demandez plus.',
    state_missing:
      'Envoyez une valeur aléatoire dans `state` et vérifiez-la au retour. Si votre bibliothèque OpenID Connect n’utilise pas `state`, choisissez les noms standard des champs du profil.',
    challenge_missing:
      'Envoyez `code_challenge` et `code_challenge_method=S256`, puis `code_verifier` dans la requête de jeton.',
    challenge_method: 'Envoyez le SHA-256 du vérificateur et `code_challenge_method=S256`, en majuscule.',
    challenge_malformed: 'Encodez le SHA-256 du vérificateur en base64url, sans « = » à la fin.',
    claims_invalid:
      'Envoyez un objet avec `id_token` contenant `acr`, avec `essential` à `true` et les valeurs acceptées dans `values`.',
    acr_unmet: 'Acceptez une autre valeur, ou demandez-la dans `acr_values`, où elle est facultative.',
    id_token_hint: 'Envoyez le dernier `id_token` délivré à cette application, ou retirez ce paramètre.',
    not_signed_in:
      'C’est une réponse normale. Proposez le bouton de connexion, ou recommencez sans `prompt=none`.',
    signed_in_as_other_user:
      'C’est une réponse normale. Retirez `id_token_hint` si n’importe quel compte vous convient.',
    consent_needed: 'C’est une réponse normale. Recommencez sans `prompt=none`.',
    user_denied:
      'C’est une réponse normale. Indiquez à la personne ce que votre application peut faire sans cet accès, et laissez-la réessayer.',
    request_expired: 'Rien à corriger : la personne a pu recommencer.',
    browser_mismatch:
      'Rien à corriger si cela reste rare : la personne recommence depuis votre application. Un lien copié ou un navigateur intégré en est souvent la cause.',
    request_unreadable: 'Construisez l’URL avec une fonction de bibliothèque, comme URL et URLSearchParams.',
    pushed_request_expired:
      'Poussez la requête juste avant de rediriger la personne, pas au chargement de la page.',
    pushed_request_required: 'Poussez la requête vers `/oauth/par` et n’envoyez que le `request_uri` reçu.',
    grant_type_unsupported:
      'Envoyez une valeur du document de découverte, le plus souvent `authorization_code` ou `refresh_token`.',
    client_credentials_disabled:
      'Le propriétaire de l’API n’a pas accordé l’accès, ou l’application est publique. Demandez l’accès sur la page « API » de l’application. Une application publique ne peut pas utiliser client_credentials.',
    scope_beyond_api_grant:
      'Le propriétaire de l’API n’a pas accordé cette portée. Faites-en la demande sur la page « API » de l’application, ou retirez-la.',
    device_flow_disabled: 'Activez la connexion d’appareils sur la page « Protocole ».',
    device_authorization_pending:
      'C’est une réponse normale. Réessayez, sans dépasser la fréquence indiquée par `interval`.',
    device_polls_too_fast: 'À chaque `slow_down`, augmentez l’intervalle de cinq secondes.',
    device_code_unknown:
      'Envoyez le `device_code` de la dernière réponse, une seule fois après que la personne a autorisé l’appareil.',
    device_code_expired: 'Demandez-en un nouveau et montrez son code à la personne.',
    multiple_credentials: 'Configurez votre bibliothèque pour n’utiliser que l’une des deux méthodes.',
    basic_header_invalid: 'Envoyez le Client ID et le secret, séparés par deux-points et encodés en base64.',
    assertion_type_unsupported:
      'Envoyez `client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer`.',
    assertion_invalid:
      'Vérifiez que la clé est enregistrée, que aud nomme ce service, que exp est à moins d’une heure, que chaque `jti` ne sert qu’une fois et que typ vaut `client-authentication+jwt` ou `JWT`, ou est absent.',
    assertion_audience_mismatch:
      'Donnez à aud une seule valeur : l’issuer indiqué par le document de découverte.',
    assertion_expired:
      'Elle a expiré il y a {seconds} secondes d’après notre horloge, et a été signée il y a {age} secondes. Signez-en une nouvelle pour chaque requête. Si elle était nouvelle, l’horloge de votre serveur retarde d’environ {age} secondes : réglez-la par NTP ; 30 secondes sont tolérées.',
    assertion_not_yet_valid:
      'Elle a {seconds} secondes d’avance sur notre horloge. L’horloge de votre serveur avance d’environ {seconds} secondes : réglez-la par NTP ; 30 secondes sont tolérées.',
    assertion_replayed:
      'Signez-en une nouvelle pour chaque requête, avec un `jti` unique. Si c’est déjà le cas, quelqu’un en a envoyé une copie.',
    secret_missing:
      'Envoyez `client_secret`. S’il vient d’une variable d’environnement, vérifiez qu’elle est bien définie.',
    secret_expired: 'Un ancien secret est encore utilisé : remplacez-le par le plus récent.',
    secret_belongs_to_other_client:
      'Chaque identifiant a son propre secret. Vérifiez que vous n’avez pas mélangé deux configurations.',
    secret_has_whitespace: 'Retirez le saut de ligne, sans doute à la fin du fichier ou de la variable.',
    secret_percent_encoded: 'Transmettez le secret tel quel à votre bibliothèque.',
    secret_truncated: 'Copiez-le en entier. Si vous ne l’avez plus, créez-en un nouveau.',
    secret_checksum_invalid:
      'Copiez-le de nouveau, sans le retaper. Si vous ne l’avez plus, créez-en un nouveau.',
    secret_prefix_invalid:
      'Les secrets créés ici commencent par `sesame_secret_`, ou par `sesame_api_secret_` pour une API. Celui d’une application importée est celui de l’ancien service. Vérifiez la variable d’environnement, ou créez un nouveau secret.',
    secret_belongs_to_api:
      'Celui d’une application commence par `sesame_secret_`. Configurez le Client ID et le secret de l’application.',
    secret_belongs_to_client:
      'Celui d’une API commence par `sesame_api_secret_`. Pour l’introspection, créez un secret sur la page des secrets de l’API.',
    api_endpoint_not_allowed:
      'Une API ne peut utiliser que le point de terminaison d’introspection. Pour obtenir des jetons, enregistrez une application.',
    api_suspended:
      'Tous les jetons d’une API suspendue sont inactifs. Pour faire lever la suspension, contactez votre administrateur.',
    secret_unknown: CHECK_SECRET,
    verifier_malformed:
      'Utilisez 43 à 128 caractères aléatoires parmi A-Z a-z 0-9 - . _ ~ ({length} reçus), et envoyez-les sans les transformer.',
    verifier_missing:
      'Conservez le vérificateur dans la session de la personne et envoyez-le dans la requête de jeton.',
    verifier_not_expected:
      'Envoyez `code_challenge` et `code_challenge_method=S256` dès la requête d’autorisation.',
    verifier_is_challenge: 'Dans la requête de jeton, envoyez la valeur d’origine, pas son condensé.',
    verifier_mismatch:
      'Le vérificateur vient sans doute d’un autre onglet ou d’une tentative précédente : conservez-en un par requête, associé à son `state`.',
    token_malformed:
      'Envoyez le `code` de l’URL de retour, décodé une fois, ou le `refresh_token` de la dernière réponse.',
    token_altered:
      'Envoyez-le en entier, tel que vous l’avez reçu. La colonne qui le stocke doit accepter au moins 200 caractères.',
    token_kind_mismatch:
      'Pour échanger un code, envoyez `grant_type=authorization_code` ; pour renouveler, `grant_type=refresh_token`. Partout ailleurs, envoyez l’`access_token`.',
    token_not_found: NEW_SIGN_IN,
    resource_ambiguous:
      'Indiquez une seule ressource par requête dans `resource`, et demandez un jeton pour chaque API.',
    code_expired: 'Échangez-le dès que la personne arrive sur votre URL de retour.',
    code_used:
      'Par précaution, tous les jetons délivrés avec ce code ont été révoqués. N’échangez un code qu’une fois : recharger la page de retour ne doit pas relancer l’échange.',
    refresh_token_expired: NEW_SIGN_IN,
    refresh_token_used:
      'Par précaution, toute l’autorisation a été révoquée. Enregistrez chaque nouveau `refresh_token` avant de vous en servir, et ne renouvelez pas deux fois en parallèle. Vous pouvez régler un délai de grâce dans l’application.',
    mfa_required: 'Demandez à la personne de se reconnecter. Son second facteur lui sera demandé.',
    access_ended:
      'Accès révoqué, session fermée avant l’échange du code, mot de passe changé, compte fermé ou application réinitialisée. La personne doit se connecter de nouveau depuis votre application.',
    scope_beyond_grant:
      'Retirez `scope` de la requête de renouvellement, ou faites une nouvelle requête d’autorisation avec cette portée.',
    device_resource_unsupported:
      'Les jetons d’un appareil ne sont valables que pour ce service. Retirez `resource` de la requête de l’appareil.',
    resource_unknown: 'Envoyez l’identifiant exact de l’API, ou retirez `resource`.',
    resource_not_open_to_client:
      'Demandez au propriétaire de l’API d’autoriser cette application, ou retirez `resource`.',
    resource_blocks_client:
      'Demandez au propriétaire de l’API de rétablir l’accès. En attendant, retirez `resource`.',
    resource_suspended:
      'Rien à corriger dans votre application. Contactez le propriétaire de l’API. En attendant, retirez `resource`.',
    scope_not_of_api:
      'Demandez au moins une portée de chaque API indiquée dans `resource`, telle qu’elle est enregistrée, ou retirez `resource`.',
    resource_beyond_grant:
      'La requête d’autorisation ne l’indiquait pas, ou la personne n’a coché aucune de ses portées. Indiquez-la aussi dans la requête d’autorisation, ou retirez `resource` ici.',
    token_belongs_to_other_client:
      'Vérifiez que toutes les requêtes utilisent le même Client ID, et que chaque jeton est conservé avec le Client ID qui l’a reçu.',
    multiple_access_tokens: 'Envoyez-le dans l’en-tête Authorization seulement.',
    access_token_expired: 'Renouvelez-le avec le `refresh_token`, puis recommencez.',
    access_token_missing: 'Envoyez le jeton dans l’en-tête `Authorization`, après le mot `Bearer`.',
    access_token_in_form:
      'Envoyez-le dans l’en-tête Authorization, ou choisissez les noms standard des champs du profil.',
    userinfo_scope_missing:
      'Demandez aussi cette portée. Avec les noms standard des champs du profil, `openid` suffit.',
    logout_hint: 'Envoyez le dernier `id_token` reçu de ce service, entier, ou retirez ce paramètre.',
    logout_redirect_uri_unregistered:
      'Enregistrez-la sur la page « Protocole », ou envoyez une URL enregistrée, au caractère près.',
    method: 'Appelez les points de terminaison des jetons et de la révocation avec POST.',
    content_type: 'Envoyez `application/x-www-form-urlencoded`, pas du JSON.',
    rate_limited:
      'Attendez le nombre de secondes de `Retry-After`. Si un serveur a besoin d’une limite plus élevée, contactez votre administrateur.',
    request_incomplete: 'Réessayez. Si cela se répète, vérifiez le réseau entre votre serveur et ce service.',
    service_failed: 'Réessayez. Si cela continue, transmettez le code d’incident à votre administrateur.',
    service_busy: 'Réessayez après le nombre de secondes de `Retry-After`.',
    not_found: 'Utilisez les URL du document de découverte (`/.well-known/openid-configuration`).',
    page_form_invalid: NOT_AT_FAULT,
    sign_up_disabled: 'La personne doit demander un compte à son administrateur.',
  } as Partial<Record<DiagnosticKind, string>>,
};
