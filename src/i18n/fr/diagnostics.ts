// Owns the French texts of: diagnostics. Words in braces are facts of the refused request, filled in by the page.

import type { Difference, NotedKind } from '../../oauth/reason.ts';
import { de } from '../elision.ts';

const NEW_SIGN_IN = 'La personne doit se connecter de nouveau depuis votre application.';
const NOTHING = 'Votre application n’y est pour rien. La personne peut recommencer.';
const SECRETS = 'Vérifiez la variable d’environnement qui le contient, ou créez un nouveau secret.';

export const diagnostics = {
  title: (application: string) => `Diagnostic ${de(application)}`,
  lead: 'Ce qui a été refusé à cette application, pourquoi, et ce qu’il reste à faire. Aucun secret, aucun code ni jeton n’est gardé ici.',
  operatorNotice:
    'Cette application appartient à une autre personne. Vous voyez cette page en tant que responsable de ce service.',
  search: 'Retrouver un code d’incident',
  searchHint: 'Les dix lettres et chiffres que la personne a vus sur la page d’erreur.',
  searchAction: 'Rechercher',
  found: (incident: string) => `Incident ${incident}`,
  notFound: (incident: string) =>
    `Aucune demande conservée pour cette application ne porte le code ${incident}. Vérifiez-le ; la demande a aussi pu être remplacée par de plus récentes.`,
  showAll: 'Voir toutes les demandes refusées',
  refused: 'Demandes refusées',
  refusedHint: (quota: number) =>
    `Les ${quota} dernières sont conservées. Les demandes identiques sont regroupées.`,
  none: 'Rien n’a été refusé : c’est bon signe.',
  noneAdvice: 'Si une connexion échoue, la raison exacte s’affichera ici en quelques secondes.',
  time: 'Quand',
  times: (count: number) => `${count} fois`,
  since: 'Première fois',
  endpoint: 'Où',
  error: 'Erreur',
  address: 'Adresse IP',
  forgotten: 'effacée',
  incident: 'Code d’incident',
  incidents: 'Codes d’incident',
  others: (count: number) => `et ${count} autres`,
  sent: 'Envoyée',
  registered: 'Enregistrée',
  authorized: 'De la demande',
  fromApplication: 'de l’application',
  /** In the place of the error, for what was not refused. */
  served: 'aucune',
  fromHolder: 'avec un code, un jeton ou un ancien secret',
  fromAnyone: 'de n’importe qui',
  information: 'pour information',
  endpoints: {
    authorize: 'Autorisation',
    par: 'Demande poussée (PAR)',
    device: 'Demande d’un appareil',
    token: 'Jetons',
    introspect: 'Introspection',
    revoke: 'Révocation',
    userinfo: 'Profil (userinfo)',
    logout: 'Déconnexion',
  },

  checklist: 'Liste de contrôle de l’intégration',
  checklistHint:
    'D’après ce que ce service a observé. « Pas encore vu » n’est pas une erreur : cela n’a simplement jamais été observé.',
  check: 'Contrôle',
  state: 'Observé',
  seen: 'vu',
  notSeen: 'pas encore vu',
  alsoWithout: 'parfois absent',
  never: 'absent',
  lastSeen: 'La dernière fois',
  lastWithout: 'La dernière fois sans',
  checks: {
    pkce: 'PKCE utilisé',
    state: 'state envoyé',
    nonce: 'nonce envoyé',
    renewal: 'Renouvellement',
    revocation: 'Révocation à la déconnexion',
    userinfo: 'Profil lu',
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
  } satisfies Record<Difference['kind'], string>,
  nothing: 'aucun',

  /** For a kind that another version of this service has written. */
  unknownCause: 'La demande a été refusée.',
  /** What happened. */
  causes: {
    callback_unregistered: 'L’URL de retour envoyée n’est pas enregistrée.',
    application_unknown: 'L’application n’était pas connue ici à ce moment-là.',
    agent_unreadable: 'Le document de l’agent n’était pas utilisable.',
    application_suspended: 'L’application était suspendue.',
    parameter_repeated: 'Le paramètre {parameter} a été envoyé plusieurs fois : envoyez-le une seule fois.',
    parameter_malformed: 'Le paramètre {parameter} n’est pas du texte UTF-8 correctement encodé.',
    parameter_missing: 'Le paramètre {parameter} manque ou est vide.',
    parameter_too_long: 'Le paramètre {parameter} est trop long.',
    request_object: 'La demande utilise `request` ou `request_uri`, que ce service ne lit pas ici.',
    pushed_request_unknown: 'Ce `request_uri` n’a pas été donné à cette application par `/oauth/par`.',
    response_type: '`response_type` vaut « {sent} » : envoyez `code`.',
    response_mode: '`response_mode` vaut « {sent} », que ce service ne connaît pas.',
    scope_unknown: 'Aucune des portées demandées (« {sent} ») n’existe ici.',
    scope_words_ignored: 'Ces portées inconnues ont été ignorées : « {words} ».',
    scope_not_registered: 'La portée « {scope} » n’a pas été choisie pour cette application.',
    state_missing: '`state` manquait.',
    challenge_missing: 'PKCE manquait : cette application doit envoyer `code_challenge`.',
    challenge_method: '`code_challenge_method` vaut « {sent} » ; seul `S256` est accepté.',
    challenge_malformed: '`code_challenge` n’a pas la bonne forme : {length} caractères reçus au lieu de 43.',
    prompt_conflict: '`prompt=none` a été combiné avec une autre valeur : il doit être seul.',
    max_age: '`max_age` doit être un nombre entier de secondes.',
    claims_unreadable: '`claims` n’est pas un objet JSON de la forme prévue par OpenID Connect.',
    acr_unmet: 'La personne ne peut pas se connecter comme votre `acr` essentiel l’exige : « {sent} ».',
    id_token_hint: '`id_token_hint` ne contient pas un `id_token` donné à cette application.',
    not_signed_in:
      '`prompt=none` : la personne n’était pas connectée ici, ou pas comme demandé (second facteur, par exemple).',
    signed_in_as_other: 'La personne s’est connectée avec un autre compte que celui de `id_token_hint`.',
    consent_needed: '`prompt=none` : la personne n’a pas encore donné son autorisation.',
    person_refused: 'La personne a refusé de partager ses informations.',
    request_expired: 'La personne a mis plus d’une heure à répondre.',
    request_of_other_browser:
      'La page a été ouverte dans un autre navigateur que celui où la demande a commencé.',
    request_unreadable:
      'La demande n’a pas pu être lue : elle est mal formée ou compte plus de 200 paramètres.',
    pushed_request_expired: 'La demande poussée avait expiré quand la personne est arrivée.',
    push_required: 'Cette application doit pousser ses demandes, mais celle-ci est venue par l’URL.',
    grant_type_unsupported: '`grant_type` vaut « {sent} », que ce service ne connaît pas.',
    service_off:
      'L’application ne peut pas demander de jetons pour cette API pour son propre compte (`client_credentials`).',
    scope_beyond_service: 'L’application a demandé pour son propre compte la portée « {sent} ».',
    device_off: 'Cette application ne peut pas connecter d’appareils sans navigateur.',
    device_waiting: 'Personne n’avait encore autorisé l’appareil.',
    device_too_fast: 'L’appareil demandait trop souvent.',
    device_code_unknown: 'Ce `device_code` est inconnu, ou a déjà servi.',
    device_code_expired: 'Le `device_code` a expiré avant que quelqu’un n’autorise l’appareil.',
    credentials_twice: 'Le secret a été envoyé deux fois : dans le formulaire et par HTTP Basic.',
    client_ids_differ: 'Le `client_id` du formulaire doit être celui de l’en-tête HTTP Basic.',
    basic_unreadable: 'L’en-tête HTTP Basic est illisible.',
    assertion_type: '`client_assertion_type` manquait, ou n’est pas celui d’un JWT.',
    assertion_refused: 'L’assertion signée (`private_key_jwt`) n’a pas été acceptée.',
    assertion_audience:
      'L’assertion signée (`private_key_jwt`) n’est pas destinée à ce service, ou pas à lui seul.',
    assertion_expired: 'L’assertion signée (`private_key_jwt`) a expiré.',
    assertion_early: 'L’assertion signée (`private_key_jwt`) n’est pas encore valable.',
    assertion_used: 'L’assertion signée (`private_key_jwt`) avait déjà servi.',
    secret_missing: 'Le secret manquait.',
    secret_not_expected: '`client_secret` a été envoyé, mais une application publique n’a pas de secret.',
    secret_expired: 'Le secret n° {number} du {created} a expiré le {expired}.',
    secret_of_other: 'Ce secret est celui d’une autre de vos applications ou API, {holder}.',
    secret_white_space: 'Le secret envoyé contient une espace ou un saut de ligne.',
    secret_encoded: 'Le secret envoyé contient « % » : il a sans doute été encodé une fois de trop.',
    secret_is_client_id: 'Le Client ID a été envoyé dans `client_secret`.',
    secret_shortened: 'Le secret envoyé est tronqué : il n’a que {length} caractères.',
    secret_altered: 'Le secret envoyé contient une faute : sa somme de contrôle est fausse.',
    secret_not_ours: 'Ce qui a été envoyé n’est pas un secret de ce service.',
    secret_of_api:
      'Le secret envoyé est celui d’une API, qui ne sert qu’à interroger le service sur ses jetons.',
    secret_of_application: 'Le secret envoyé est celui d’une application.',
    api_elsewhere: 'L’identifiant de l’API a été envoyé comme Client ID.',
    api_suspended: 'Votre API a demandé ce que vaut un jeton alors qu’elle est suspendue.',
    secret_unknown: 'Le secret est bien formé, mais il ne va pas, ou plus, avec cet identifiant.',
    confidential_only:
      'Seule une application avec un secret ou une clé peut interroger le service sur ses jetons.',
    verifier_malformed: '`code_verifier` n’a pas la bonne forme.',
    verifier_missing:
      '`code_verifier` manquait, alors que la demande d’autorisation portait un `code_challenge`.',
    verifier_not_expected:
      '`code_verifier` a été envoyé, mais la demande d’autorisation n’avait pas de `code_challenge`.',
    verifier_is_challenge: '`code_verifier` contient le `code_challenge` lui-même.',
    verifier_mismatch: '`code_verifier` ne correspond pas au `code_challenge` de la demande d’autorisation.',
    exchange_callback: 'À l’échange, `redirect_uri` doit être celui de la demande d’autorisation.',
    token_unreadable: 'Ce qui a été envoyé comme {what} ne vient pas de ce service.',
    token_altered: 'Ce qui a été envoyé comme {what} est tronqué ou modifié.',
    token_mixed_up: 'Un {sent} a été envoyé là où il fallait un {expected}.',
    token_gone:
      'Ce qui a été envoyé comme {what} est trop ancien, ou a été révoqué : il n’en reste plus trace.',
    resource_ambiguous:
      'Un jeton d’accès vaut pour une seule API, et `resource` n’en nommait pas exactement une.',
    code_expired: 'Le code avait expiré : il n’est valable qu’une minute environ.',
    code_used: 'Le code avait déjà servi.',
    refresh_token_expired: 'Le `refresh_token` avait expiré : il est resté trop longtemps sans servir.',
    refresh_token_used: 'Le `refresh_token` avait déjà servi.',
    second_factor_demanded: 'Un second facteur est désormais exigé, et cette autorisation a été donnée sans.',
    access_ended: 'L’accès a pris fin.',
    scope_beyond_grant: 'La portée « {scope} » va au-delà de ce que la personne a autorisé.',
    resource_of_device: 'Un appareil a nommé une ressource (`resource`).',
    resource_many:
      'La demande nomme plus de cinq ressources : nommez seulement les API utiles à cette connexion.',
    resource_unknown: 'Aucune API n’est enregistrée ici avec l’identifiant {sent}.',
    resource_closed: 'L’API {sent} n’est pas ouverte à cette application.',
    resource_excluded: 'Le propriétaire de l’API {sent} a coupé l’accès de cette application.',
    resource_suspended: 'L’API {sent} est suspendue.',
    scope_not_of_api:
      '`scope` (« {sent} ») ne nomme rien de ce que l’API {resource} propose à cette application.',
    resource_beyond_grant: 'La personne n’a pas donné accès à la ressource {sent}.',
    token_of_other: 'Ce qui a été envoyé comme {what} a été donné à une autre application.',
    access_token_sent_twice:
      'L’`access_token` a été envoyé deux fois : dans l’en-tête et dans le formulaire.',
    access_token_expired: 'L’`access_token` avait expiré.',
    access_token_missing: 'L’`access_token` manquait.',
    access_token_in_form:
      'L’`access_token` est venu par le formulaire, ce que cette application ne peut faire qu’en mode standard.',
    profile_scope_missing:
      'L’`access_token` n’a pas la portée {scope}, sans laquelle userinfo ne répond pas.',
    logout_hint: 'Déconnexion : `id_token_hint` n’est pas un `id_token` de ce service.',
    logout_address: 'Déconnexion : l’URL de retour {sent} n’est pas enregistrée.',
    method: 'Cette adresse a été appelée avec {sent}.',
    content_type: 'Le corps n’était pas un formulaire (`Content-Type` : « {sent} »).',
    rate_limited: 'Trop de demandes en une minute depuis cette adresse.',
    https_required: 'La demande est arrivée par `http://` : utilisez `https://`.',
    request_incomplete: 'La demande n’est pas arrivée en entier : la connexion a été coupée.',
    body_too_large: 'Le corps de la demande est trop grand : n’envoyez que les paramètres nécessaires.',
    service_failed: 'Le service lui-même a échoué. Votre application n’est pas en cause.',
    service_busy: 'Le service était trop occupé pour répondre.',
    not_found: 'Cette adresse n’existe pas sur ce service.',
    page_form:
      'Le navigateur de la personne a envoyé à une page de ce service un formulaire expiré ou non conforme.',
    sign_up_closed: 'La création de comptes est fermée sur ce service.',
  } satisfies Record<NotedKind, string>,
  /** What to do, where the cause does not say it. */
  remedies: {
    callback_unregistered:
      'Envoyez une URL enregistrée, au caractère près, ou enregistrez celle-ci si elle est à vous : n’importe qui a pu l’envoyer. Pour un programme sur la machine de l’utilisateur, préférez 127.0.0.1 à localhost : tous les ports sont alors acceptés.',
    application_unknown:
      'Vérifiez le Client ID envoyé : copiez-le depuis la page de l’application. Si c’est le bon, recommencez.',
    agent_unreadable: 'Lisez la raison dans la réponse elle-même.',
    application_suspended: 'Adressez-vous aux responsables de ce service.',
    parameter_malformed:
      'Construisez l’adresse ou le formulaire avec les fonctions de votre langage (URLSearchParams, par exemple).',
    parameter_too_long: 'Gardez ces données de votre côté et n’envoyez qu’une valeur aléatoire courte.',
    request_object: 'Envoyez les paramètres eux-mêmes, ou poussez-les d’abord vers `/oauth/par`.',
    pushed_request_unknown:
      'Il a été modifié ou tronqué, ou il vient d’une autre. Envoyez le `request_uri` tel que vous l’avez reçu, avec le `client_id` qui a poussé la demande.',
    response_mode: 'Retirez `response_mode`, ou envoyez l’un de ceux qu’annonce le document de découverte.',
    scope_unknown: 'Demandez `openid`, `profile`, `email` ou `phone`, séparés par des espaces.',
    scope_words_ignored:
      'Rien n’a été refusé. Si votre bibliothèque exige de recevoir chaque portée demandée, retirez-les de la demande.',
    scope_not_registered: 'Ajoutez-la dans les réglages de l’application, ou ne la demandez plus.',
    state_missing:
      'Envoyez une valeur aléatoire dans `state` et comparez-la au retour. Si votre bibliothèque OpenID Connect ne le fait pas, passez l’application en mode standard.',
    challenge_missing:
      'Envoyez `code_challenge` et `code_challenge_method=S256`, puis `code_verifier` à l’échange.',
    challenge_method: 'Envoyez le SHA-256 du vérificateur et `code_challenge_method=S256`, en majuscule.',
    challenge_malformed: 'Encodez le SHA-256 du vérificateur en base64url, sans « = » à la fin.',
    claims_unreadable:
      'Envoyez un objet avec `id_token`, dans celui-ci `acr`, et là `essential` à `true` et les valeurs acceptées dans `values`.',
    acr_unmet: 'Acceptez une autre valeur, ou demandez-la par `acr_values` : elle n’est alors qu’un souhait.',
    id_token_hint: 'Envoyez le dernier `id_token` reçu par cette application, ou retirez ce paramètre.',
    not_signed_in:
      'C’est une réponse normale. Proposez le bouton de connexion, ou recommencez sans `prompt=none`.',
    signed_in_as_other:
      'C’est une réponse normale. Retirez `id_token_hint` si n’importe quel compte vous convient.',
    consent_needed: 'C’est une réponse normale. Recommencez sans `prompt=none`.',
    person_refused:
      'C’est son droit. Indiquez-lui ce que votre application peut faire sans, et laissez-la réessayer.',
    request_expired: 'Rien à corriger : la personne a pu recommencer.',
    request_of_other_browser:
      'Rien à corriger si cela reste rare : la personne recommence depuis votre application. Un lien copié ou un navigateur intégré en est souvent la cause.',
    request_unreadable:
      'Construisez l’adresse avec les fonctions de votre langage (URL et URLSearchParams, par exemple).',
    pushed_request_expired:
      'Poussez la demande juste avant de rediriger la personne, pas au chargement de la page.',
    push_required: 'Poussez la demande vers `/oauth/par` et n’envoyez que le `request_uri` reçu.',
    grant_type_unsupported:
      'Envoyez l’un de ceux qu’annonce le document de découverte : le plus souvent `authorization_code` ou `refresh_token`.',
    service_off:
      'Le propriétaire de l’API ne l’a pas permis, ou l’application est publique. Demandez-le au propriétaire de l’API, sur la page « API » de l’application. Une application publique ne peut pas l’obtenir.',
    scope_beyond_service:
      'Elle va au-delà de ce que le propriétaire de l’API lui permet. Demandez-lui cette portée sur la page « API » de l’application, ou ne la demandez plus.',
    device_off: 'Activez-le sur la page « Protocole ».',
    device_waiting:
      'C’est une réponse normale. Réessayez, sans dépasser la fréquence indiquée par `interval`.',
    device_too_fast: 'Attendez cinq secondes de plus à chaque `slow_down`.',
    device_code_unknown:
      'Envoyez le `device_code` de la dernière réponse, une seule fois après que la personne a autorisé l’appareil.',
    device_code_expired: 'Demandez-en un nouveau et montrez son code à la personne.',
    credentials_twice: 'Choisissez l’une des deux méthodes dans les réglages de votre bibliothèque.',
    basic_unreadable: 'Encodez en base64 le Client ID et le secret, séparés par deux-points.',
    assertion_type: 'Envoyez `client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer`.',
    assertion_refused:
      'Vérifiez que la clé est enregistrée, que aud nomme ce service, que exp est à moins d’une heure, que chaque `jti` ne sert qu’une fois et que typ vaut `client-authentication+jwt` ou `JWT`, ou est absent.',
    assertion_audience:
      'Donnez à aud une seule valeur : l’issuer de ce service, tel que le nomme le document de découverte.',
    assertion_expired:
      'Elle a expiré il y a {seconds} secondes d’après notre horloge, et a été signée il y a {age} secondes. Signez-en une nouvelle pour chaque requête. Si elle était nouvelle, l’horloge de votre serveur retarde d’environ {age} secondes : réglez-la par NTP ; 30 secondes sont tolérées.',
    assertion_early:
      'Elle a {seconds} secondes d’avance sur notre horloge. L’horloge de votre serveur avance d’environ {seconds} secondes : réglez-la par NTP ; 30 secondes sont tolérées.',
    assertion_used:
      'Signez-en une nouvelle pour chaque requête, avec un `jti` unique. Si c’est déjà le cas, quelqu’un en a envoyé une copie.',
    secret_missing:
      'Envoyez `client_secret`. S’il vient d’une variable d’environnement, vérifiez qu’elle est bien définie.',
    secret_expired: 'Un ancien secret est encore utilisé quelque part : remplacez-le par le plus récent.',
    secret_of_other:
      'Chaque identifiant va avec son propre secret : vérifiez que vous n’avez pas mélangé deux configurations.',
    secret_white_space:
      'Un saut de ligne s’est sans doute glissé à la fin du fichier ou de la variable : retirez-le.',
    secret_encoded: 'Donnez le secret tel quel à votre bibliothèque.',
    secret_shortened: 'Copiez-le en entier. Si vous ne l’avez plus, créez-en un nouveau.',
    secret_altered: 'Copiez-le de nouveau, sans le retaper. Si vous ne l’avez plus, créez-en un nouveau.',
    secret_not_ours:
      'Les nôtres commencent par `sesame_secret_`, ou par `sesame_api_secret_` pour une API. Vérifiez la variable d’environnement qui le contient, ou créez un nouveau secret.',
    secret_of_api:
      'Celui d’une application commence par `sesame_secret_`. Configurez le Client ID et le secret de l’application.',
    secret_of_application:
      'Celui d’une API commence par `sesame_api_secret_`. Une API vérifie les jetons avec un secret à elle : créez-le sur la page de ses secrets.',
    api_elsewhere:
      'Une API n’est pas une application : elle peut seulement interroger le service sur ses jetons, à l’adresse d’introspection. Pour obtenir des jetons, enregistrez une application.',
    api_suspended:
      'Tout jeton est inactif pour elle. Adressez-vous aux responsables de ce service pour faire lever la suspension.',
    secret_unknown: SECRETS,
    verifier_malformed:
      'Il faut 43 à 128 caractères parmi A-Z a-z 0-9 - . _ ~ ({length} reçus). Tirez-le au hasard parmi ces caractères et envoyez-le sans le transformer.',
    verifier_missing: 'Gardez le vérificateur dans la session de la personne et envoyez-le à l’échange.',
    verifier_not_expected:
      'Envoyez `code_challenge` et `code_challenge_method=S256` dès la demande d’autorisation.',
    verifier_is_challenge: 'À l’échange, envoyez la valeur d’origine, pas son condensé.',
    verifier_mismatch:
      'Le vérificateur vient sans doute d’un autre onglet ou d’une tentative précédente : gardez-en un par demande, associé à son `state`.',
    token_unreadable:
      'Envoyez le `code` de l’URL de retour, décodé une fois, ou le `refresh_token` de la dernière réponse.',
    token_altered:
      'Transmettez-le entier, tel que vous l’avez reçu. La colonne qui le garde doit accepter au moins 200 caractères.',
    token_mixed_up:
      'Pour échanger un code, envoyez `grant_type=authorization_code` ; pour renouveler, `grant_type=refresh_token`. Partout ailleurs, envoyez l’`access_token`.',
    token_gone: NEW_SIGN_IN,
    resource_ambiguous:
      'Nommez une seule ressource à la fois dans `resource`, et demandez un jeton pour chaque API.',
    code_expired: 'Échangez-le dès que la personne arrive sur votre URL de retour.',
    code_used:
      'Par prudence, tout ce qu’il avait donné a été révoqué. Ne l’échangez qu’une fois : recharger la page de retour ne doit pas relancer l’échange.',
    refresh_token_expired: NEW_SIGN_IN,
    refresh_token_used:
      'Par prudence, toute cette connexion a été révoquée. Enregistrez chaque nouveau `refresh_token` avant de vous en servir, et ne renouvelez pas deux fois en parallèle. Vous pouvez régler un délai de grâce dans l’application.',
    second_factor_demanded:
      'Demandez à la personne de se reconnecter : elle montrera son second facteur au passage.',
    access_ended:
      'Accès révoqué, session fermée avant l’échange du code, mot de passe changé, compte fermé ou application réinitialisée. La personne doit se connecter de nouveau depuis votre application.',
    scope_beyond_grant:
      'Retirez `scope` du renouvellement, ou refaites une demande d’autorisation avec cette portée.',
    resource_of_device:
      'Ses jetons ne valent que pour ce service. Retirez `resource` de la demande de l’appareil.',
    resource_unknown: 'Envoyez l’identifiant de l’API, caractère par caractère, ou retirez `resource`.',
    resource_closed:
      'Son propriétaire décide de celles qu’elle admet. Demandez au propriétaire de l’API de l’ouvrir, ou retirez `resource`.',
    resource_excluded: 'Demandez-lui pourquoi. Tant qu’il ne l’a pas rétabli, retirez `resource`.',
    resource_suspended:
      'Rien à corriger dans votre application : adressez-vous au propriétaire de l’API. En attendant, retirez `resource`.',
    scope_not_of_api:
      'Demandez au moins une portée de chaque API que nomme `resource`, écrite comme l’a fait son propriétaire, ou retirez `resource`.',
    resource_beyond_grant:
      'La demande d’autorisation ne la nommait pas, ou la personne n’a coché aucune de ses portées. Nommez-la déjà dans la demande d’autorisation, ou retirez `resource` ici.',
    token_of_other:
      'Vérifiez que le même Client ID sert dès la demande d’autorisation, et que chaque jeton est gardé avec le Client ID qui l’a reçu.',
    access_token_sent_twice: 'Envoyez-le dans l’en-tête Authorization seulement.',
    access_token_expired: 'Renouvelez-le avec le `refresh_token`, puis recommencez.',
    access_token_missing: 'Envoyez l’en-tête Authorization, avec le mot Bearer, une espace et le jeton.',
    access_token_in_form:
      'Envoyez-le dans l’en-tête Authorization, ou passez l’application en mode standard.',
    profile_scope_missing: 'Demandez aussi cette portée. En mode standard, `openid` suffit.',
    logout_hint: 'Envoyez le dernier `id_token` reçu de ce service, entier, ou retirez ce paramètre.',
    logout_address:
      'Enregistrez-la sur la page « Protocole », caractère par caractère, ou envoyez-en une qui l’est.',
    method: 'Appelez les adresses des jetons et de la révocation avec POST.',
    content_type: 'Envoyez `application/x-www-form-urlencoded`, pas du JSON.',
    rate_limited:
      'Attendez le nombre de secondes de `Retry-After`. Pour un serveur qui a besoin de plus, demandez aux responsables de ce service.',
    request_incomplete:
      'Réessayez. Si cela se répète, cherchez ce qui coupe la connexion entre votre serveur et ce service.',
    service_failed: 'Réessayez. Si cela dure, donnez le code d’incident aux responsables de ce service.',
    service_busy: 'Réessayez après le nombre de secondes de `Retry-After`.',
    not_found: 'Prenez les adresses dans le document de découverte (`/.well-known/openid-configuration`).',
    page_form: NOTHING,
    sign_up_closed: 'La personne doit demander un compte aux responsables de ce service.',
  } as Partial<Record<NotedKind, string>>,
};
