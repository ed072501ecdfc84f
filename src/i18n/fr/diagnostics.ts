// Owns the French texts of: diagnostics. Words in braces are facts of the refused request, filled in by the page.

import type { Difference, NotedKind } from '../../oauth/reason.ts';
import { de } from '../elision.ts';

/** What happened, and what to do next. */
type Words = { what: string; more?: string; next: string };

const NEW_SIGN_IN = 'La personne doit se connecter de nouveau depuis votre application.';
const NOTHING = 'Votre application n’y est pour rien. La personne peut recommencer.';
const WHOLE = 'Transmettez-le entier, tel que vous l’avez reçu.';
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
    pkce: {
      title: 'PKCE utilisé',
      why: 'code_challenge à l’aller, code_verifier à l’échange : un code intercepté ne sert plus à rien.',
    },
    state: {
      title: 'state envoyé',
      why: 'Une valeur aléatoire à comparer au retour, contre les demandes forgées. Nous voyons l’envoi, pas la comparaison.',
    },
    nonce: {
      title: 'nonce envoyé',
      why: 'Il lie l’id_token à cette connexion. Utile seulement si vous lisez l’id_token.',
    },
    keys: {
      title: 'Clés récupérées',
      why: 'Les clés publiques ont été lues depuis une adresse qui demande aussi des jetons pour cette application. Nécessaire pour vérifier un id_token.',
    },
    renewal: {
      title: 'Renouvellement',
      why: 'Un jeton de renouvellement a été échangé : la session peut durer plus d’une heure.',
    },
    revocation: {
      title: 'Révocation à la déconnexion',
      why: 'Le jeton est révoqué quand la personne quitte l’application.',
    },
    userinfo: { title: 'Profil lu', why: 'L’adresse userinfo a répondu à l’application.' },
    secret: {
      title: 'Secret envoyé',
      why: 'Dans le formulaire (client_secret) ou par HTTP Basic : les deux sont acceptés.',
    },
  },
  secretInForm: 'dans le formulaire',
  secretAsBasic: 'par HTTP Basic',
  secretBoth: 'dans le formulaire et par HTTP Basic',

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
  unknownKind: {
    what: 'La demande a été refusée.',
    next: 'Reprenez un exemple de la page « Intégrer ».',
  },
  kinds: {
    callback_unregistered: {
      what: 'L’URL de retour envoyée n’est pas enregistrée.',
      next: 'Envoyez une URL enregistrée, au caractère près, ou enregistrez celle-ci.',
    },
    application_unknown: {
      what: 'L’application n’était pas connue ici à ce moment-là.',
      next: 'Vérifiez le Client ID envoyé : copiez-le depuis la page de l’application. Si c’est le bon, recommencez.',
    },
    agent_unreadable: {
      what: 'Le document de l’agent n’était pas utilisable.',
      next: 'Lisez la raison dans la réponse elle-même.',
    },
    application_suspended: {
      what: 'L’application était suspendue.',
      next: 'Adressez-vous aux responsables de ce service.',
    },
    parameter_repeated: {
      what: 'Le paramètre {parameter} a été envoyé plusieurs fois.',
      next: 'Envoyez chaque paramètre une seule fois.',
    },
    parameter_malformed: {
      what: 'Le paramètre {parameter} n’est pas du texte UTF-8 correctement encodé.',
      next: 'Construisez l’adresse ou le formulaire avec les fonctions de votre langage (URLSearchParams, par exemple).',
    },
    parameter_missing: {
      what: 'Le paramètre {parameter} manquait, ou était vide.',
      next: 'Ajoutez-le à la demande, une seule fois.',
    },
    parameter_too_long: {
      what: 'Le paramètre {parameter} est trop long.',
      next: 'Gardez ces données de votre côté et n’envoyez qu’une valeur aléatoire courte.',
    },
    request_object: {
      what: 'La demande utilise `request` ou `request_uri`, que ce service ne lit pas ici.',
      next: 'Envoyez les paramètres eux-mêmes, ou poussez-les d’abord vers `/oauth/par`.',
    },
    pushed_request_unknown: {
      what: 'Ce `request_uri` n’a pas été donné à cette application par `/oauth/par`.',
      more: 'Il a été modifié ou tronqué, ou il vient d’une autre.',
      next: 'Envoyez le `request_uri` tel que vous l’avez reçu, avec le `client_id` qui a poussé la demande.',
    },
    response_type: {
      what: '`response_type` vaut « {sent} » au lieu de « code ».',
      next: 'Envoyez `response_type=code`.',
    },
    response_mode: {
      what: '`response_mode` vaut « {sent} », que ce service ne connaît pas.',
      next: 'Retirez `response_mode`, ou envoyez l’un de ceux qu’annonce le document de découverte.',
    },
    scope_unknown: {
      what: 'Aucune des portées demandées (« {sent} ») n’existe ici.',
      next: 'Demandez `openid`, `profile`, `email` ou `phone`, séparés par des espaces.',
    },
    scope_words_ignored: {
      what: 'Ces portées inconnues ont été ignorées : « {words} ».',
      next: 'Rien n’a été refusé. Si votre bibliothèque exige de recevoir chaque portée demandée, retirez-les de la demande.',
    },
    scope_not_registered: {
      what: 'La portée « {scope} » n’a pas été choisie pour cette application.',
      next: 'Ajoutez-la dans les réglages de l’application, ou ne la demandez plus.',
    },
    state_missing: {
      what: '`state` manquait.',
      next: 'Envoyez une valeur aléatoire dans `state` et comparez-la au retour. Si votre bibliothèque OpenID Connect ne le fait pas, passez l’application en mode standard.',
    },
    challenge_missing: {
      what: 'PKCE manquait : cette application doit envoyer `code_challenge`.',
      next: 'Envoyez `code_challenge` et `code_challenge_method=S256`, puis `code_verifier` à l’échange.',
    },
    challenge_method: {
      what: '`code_challenge_method` vaut « {sent} » ; seul `S256` est accepté.',
      next: 'Envoyez le SHA-256 du vérificateur et `code_challenge_method=S256`, en majuscule.',
    },
    challenge_malformed: {
      what: '`code_challenge` n’a pas la bonne forme : {length} caractères reçus au lieu de 43.',
      next: 'Encodez le SHA-256 du vérificateur en base64url, sans « = » à la fin.',
    },
    prompt_conflict: {
      what: '`prompt=none` a été combiné avec une autre valeur.',
      next: 'Envoyez `none` seul, ou pas du tout.',
    },
    max_age: {
      what: '`max_age` n’est pas un nombre de secondes.',
      next: 'Envoyez un nombre entier.',
    },
    claims_unreadable: {
      what: '`claims` n’est pas un objet JSON de la forme prévue par OpenID Connect.',
      next: 'Envoyez un objet avec `id_token`, dans celui-ci `acr`, et là `essential` à `true` et les valeurs acceptées dans `values`.',
    },
    acr_unmet: {
      what: 'La personne ne peut pas se connecter comme votre `acr` essentiel l’exige : « {sent} ».',
      next: 'Acceptez une autre valeur, ou demandez-la par `acr_values` : elle n’est alors qu’un souhait.',
    },
    id_token_hint: {
      what: '`id_token_hint` ne contient pas un `id_token` donné à cette application.',
      next: 'Envoyez le dernier `id_token` reçu par cette application, ou retirez ce paramètre.',
    },
    not_signed_in: {
      what: '`prompt=none` : la personne n’était pas connectée ici, ou pas comme demandé (second facteur, par exemple).',
      next: 'C’est une réponse normale. Proposez le bouton de connexion, ou recommencez sans `prompt=none`.',
    },
    signed_in_as_other: {
      what: 'La personne s’est connectée avec un autre compte que celui de `id_token_hint`.',
      next: 'C’est une réponse normale. Retirez `id_token_hint` si n’importe quel compte vous convient.',
    },
    consent_needed: {
      what: '`prompt=none` : la personne n’a pas encore donné son autorisation.',
      next: 'C’est une réponse normale. Recommencez sans `prompt=none`.',
    },
    person_refused: {
      what: 'La personne a refusé de partager ses informations.',
      next: 'C’est son droit. Indiquez-lui ce que votre application peut faire sans, et laissez-la réessayer.',
    },
    request_expired: {
      what: 'La personne a mis plus d’une heure à répondre.',
      next: 'Rien à corriger : la personne a pu recommencer.',
    },
    request_of_other_browser: {
      what: 'La page a été ouverte dans un autre navigateur que celui où la demande a commencé.',
      next: 'Rien à corriger si cela reste rare : la personne recommence depuis votre application. Un lien copié ou un navigateur intégré en est souvent la cause.',
    },
    request_unreadable: {
      what: 'La demande n’a pas pu être lue : adresse ou en-têtes incorrects.',
      next: 'Construisez l’adresse avec les fonctions de votre langage (URL et URLSearchParams, par exemple).',
    },
    pushed_request_expired: {
      what: 'La demande poussée avait expiré quand la personne est arrivée.',
      next: 'Poussez la demande juste avant de rediriger la personne, pas au chargement de la page.',
    },
    push_required: {
      what: 'Cette application doit pousser ses demandes, mais celle-ci est venue par l’URL.',
      next: 'Poussez la demande vers `/oauth/par` et n’envoyez que le `request_uri` reçu.',
    },
    grant_type_unsupported: {
      what: '`grant_type` vaut « {sent} », que ce service ne connaît pas.',
      next: 'Envoyez l’un de ceux qu’annonce le document de découverte : le plus souvent `authorization_code` ou `refresh_token`.',
    },
    service_off: {
      what: 'L’application ne peut pas demander de jetons pour cette API pour son propre compte (`client_credentials`).',
      more: 'Le propriétaire de l’API ne l’a pas permis, ou l’application est publique.',
      next: 'Demandez-le au propriétaire de l’API, sur la page « API » de l’application. Une application publique ne peut pas l’obtenir.',
    },
    scope_beyond_service: {
      what: 'L’application a demandé pour son propre compte la portée « {sent} ».',
      more: 'Elle va au-delà de ce que le propriétaire de l’API lui permet.',
      next: 'Demandez-lui cette portée sur la page « API » de l’application, ou ne la demandez plus.',
    },
    device_off: {
      what: 'Cette application ne peut pas connecter d’appareils sans navigateur.',
      next: 'Activez-le sur la page « Protocole ».',
    },
    device_waiting: {
      what: 'Personne n’avait encore autorisé l’appareil.',
      next: 'C’est une réponse normale. Réessayez, sans dépasser la fréquence indiquée par `interval`.',
    },
    device_too_fast: {
      what: 'L’appareil demandait trop souvent.',
      next: 'Attendez cinq secondes de plus à chaque `slow_down`.',
    },
    device_code_unknown: {
      what: 'Ce `device_code` est inconnu, ou a déjà servi.',
      next: 'Envoyez le `device_code` de la dernière réponse, une seule fois après que la personne a autorisé l’appareil.',
    },
    device_code_expired: {
      what: 'Le `device_code` a expiré avant que quelqu’un n’autorise l’appareil.',
      next: 'Demandez-en un nouveau et montrez son code à la personne.',
    },
    credentials_twice: {
      what: 'Le secret a été envoyé deux fois : dans le formulaire et par HTTP Basic.',
      next: 'Choisissez l’une des deux méthodes dans les réglages de votre bibliothèque.',
    },
    client_ids_differ: {
      what: 'Le `client_id` du formulaire n’est pas celui de l’en-tête HTTP Basic.',
      next: 'Envoyez le même, ou un seul des deux.',
    },
    basic_unreadable: {
      what: 'L’en-tête HTTP Basic est illisible.',
      next: 'Encodez en base64 le Client ID et le secret, séparés par deux-points.',
    },
    assertion_type: {
      what: '`client_assertion_type` manquait, ou n’est pas celui d’un JWT.',
      next: 'Envoyez `client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer`.',
    },
    assertion_refused: {
      what: 'L’assertion signée (`private_key_jwt`) n’a pas été acceptée.',
      next: 'Vérifiez que la clé est enregistrée, que aud nomme ce service, que exp est à moins d’une heure, que chaque `jti` ne sert qu’une fois et que typ vaut `client-authentication+jwt` ou `JWT`, ou est absent.',
    },
    assertion_audience: {
      what: 'L’assertion signée (`private_key_jwt`) n’est pas destinée à ce service, ou pas à lui seul.',
      next: 'Donnez à aud une seule valeur : l’issuer de ce service, tel que le nomme le document de découverte.',
    },
    assertion_expired: {
      what: 'L’assertion signée (`private_key_jwt`) a expiré.',
      more: 'Elle a expiré il y a {seconds} secondes d’après notre horloge, et a été signée il y a {age} secondes.',
      next: 'Signez-en une nouvelle pour chaque requête. Si elle était nouvelle, l’horloge de votre serveur retarde d’environ {age} secondes : réglez-la par NTP ; 30 secondes sont tolérées.',
    },
    assertion_early: {
      what: 'L’assertion signée (`private_key_jwt`) n’est pas encore valable.',
      more: 'Elle a {seconds} secondes d’avance sur notre horloge.',
      next: 'L’horloge de votre serveur avance d’environ {seconds} secondes : réglez-la par NTP ; 30 secondes sont tolérées.',
    },
    assertion_used: {
      what: 'L’assertion signée (`private_key_jwt`) avait déjà servi.',
      next: 'Signez-en une nouvelle pour chaque requête, avec un `jti` unique. Si c’est déjà le cas, quelqu’un en a envoyé une copie.',
    },
    secret_missing: {
      what: 'Le secret manquait.',
      next: 'Envoyez `client_secret`. S’il vient d’une variable d’environnement, vérifiez qu’elle est bien définie.',
    },
    secret_not_expected: {
      what: 'Un secret a été envoyé, mais une application publique n’en a pas.',
      next: 'Retirez `client_secret` des réglages de votre bibliothèque.',
    },
    secret_expired: {
      what: 'Le secret n° {number} du {created} a expiré le {expired}.',
      next: 'Un ancien secret est encore utilisé quelque part : remplacez-le par le plus récent.',
    },
    secret_of_other: {
      what: 'Ce secret est celui d’une autre de vos applications ou API, {holder}.',
      next: 'Chaque identifiant va avec son propre secret : vérifiez que vous n’avez pas mélangé deux configurations.',
    },
    secret_white_space: {
      what: 'Le secret envoyé contient une espace ou un saut de ligne.',
      next: 'Un saut de ligne s’est sans doute glissé à la fin du fichier ou de la variable : retirez-le.',
    },
    secret_encoded: {
      what: 'Le secret envoyé contient « % » : il a sans doute été encodé une fois de trop.',
      next: 'Donnez le secret tel quel à votre bibliothèque.',
    },
    secret_is_client_id: {
      what: 'Le Client ID a été envoyé à la place du secret.',
      next: 'Mettez le secret dans `client_secret`.',
    },
    secret_shortened: {
      what: 'Le secret envoyé est tronqué : il n’a que {length} caractères.',
      next: 'Copiez-le en entier. Si vous ne l’avez plus, créez-en un nouveau.',
    },
    secret_altered: {
      what: 'Le secret envoyé contient une faute : sa somme de contrôle est fausse.',
      next: 'Copiez-le de nouveau, sans le retaper. Si vous ne l’avez plus, créez-en un nouveau.',
    },
    secret_not_ours: {
      what: 'Ce qui a été envoyé n’est pas un secret de ce service.',
      more: 'Les nôtres commencent par `sesame_secret_`, ou par `sesame_api_secret_` pour une API.',
      next: SECRETS,
    },
    secret_of_api: {
      what: 'Le secret envoyé est celui d’une API, qui ne sert qu’à interroger le service sur ses jetons.',
      more: 'Celui d’une application commence par `sesame_secret_`.',
      next: 'Configurez le Client ID et le secret de l’application.',
    },
    secret_of_application: {
      what: 'Le secret envoyé est celui d’une application.',
      more: 'Celui d’une API commence par `sesame_api_secret_`.',
      next: 'Une API vérifie les jetons avec un secret à elle : créez-le sur la page de ses secrets.',
    },
    api_elsewhere: {
      what: 'L’identifiant de l’API a été envoyé comme Client ID.',
      next: 'Une API n’est pas une application : elle peut seulement interroger le service sur ses jetons, à l’adresse d’introspection. Pour obtenir des jetons, enregistrez une application.',
    },
    api_suspended: {
      what: 'Votre API a demandé ce que vaut un jeton alors qu’elle est suspendue.',
      more: 'Tout jeton est inactif pour elle.',
      next: 'Adressez-vous aux responsables de ce service pour faire lever la suspension.',
    },
    secret_unknown: {
      what: 'Le secret est bien formé, mais il ne va pas, ou plus, avec cet identifiant.',
      next: SECRETS,
    },
    confidential_only: {
      what: 'Une application publique ne peut pas utiliser cette adresse.',
      next: 'Seule une application avec un secret ou une clé peut interroger le service sur ses jetons.',
    },
    verifier_malformed: {
      what: '`code_verifier` n’a pas la bonne forme.',
      more: 'Il faut 43 à 128 caractères parmi A-Z a-z 0-9 - . _ ~ ({length} reçus).',
      next: 'Tirez-le au hasard parmi ces caractères et envoyez-le sans le transformer.',
    },
    verifier_missing: {
      what: '`code_verifier` manquait, alors que la demande d’autorisation portait un `code_challenge`.',
      next: 'Gardez le vérificateur dans la session de la personne et envoyez-le à l’échange.',
    },
    verifier_not_expected: {
      what: '`code_verifier` a été envoyé, mais la demande d’autorisation n’avait pas de `code_challenge`.',
      next: 'Envoyez `code_challenge` et `code_challenge_method=S256` dès la demande d’autorisation.',
    },
    verifier_is_challenge: {
      what: '`code_verifier` contient le `code_challenge` lui-même.',
      next: 'À l’échange, envoyez la valeur d’origine, pas son condensé.',
    },
    verifier_mismatch: {
      what: '`code_verifier` ne correspond pas au `code_challenge` de la demande d’autorisation.',
      next: 'Le vérificateur vient sans doute d’un autre onglet ou d’une tentative précédente : gardez-en un par demande, associé à son `state`.',
    },
    exchange_callback: {
      what: '`redirect_uri` n’est pas, à l’échange, celui de la demande d’autorisation.',
      next: 'Envoyez la même URL aux deux endroits.',
    },
    token_unreadable: {
      what: 'Ce qui a été envoyé comme {what} ne vient pas de ce service.',
      next: 'Envoyez le `code` de l’URL de retour, décodé une fois, ou le `refresh_token` de la dernière réponse.',
    },
    token_altered: {
      what: 'Ce qui a été envoyé comme {what} est tronqué ou modifié.',
      next: `${WHOLE} La colonne qui le garde doit accepter au moins 200 caractères.`,
    },
    token_mixed_up: {
      what: 'Un {sent} a été envoyé là où il fallait un {expected}.',
      next: 'Pour échanger un code, envoyez `grant_type=authorization_code` ; pour renouveler, `grant_type=refresh_token`. Partout ailleurs, envoyez l’`access_token`.',
    },
    token_gone: {
      what: 'Ce qui a été envoyé comme {what} est trop ancien, ou a été révoqué : il n’en reste plus trace.',
      next: NEW_SIGN_IN,
    },
    resource_ambiguous: {
      what: 'Un jeton d’accès vaut pour une seule API, et `resource` n’en nommait pas exactement une.',
      next: 'Nommez une seule ressource à la fois dans `resource`, et demandez un jeton pour chaque API.',
    },
    code_expired: {
      what: 'Le code avait expiré : il n’est valable qu’une minute environ.',
      next: 'Échangez-le dès que la personne arrive sur votre URL de retour.',
    },
    code_used: {
      what: 'Le code avait déjà servi.',
      more: 'Par prudence, tout ce qu’il avait donné a été révoqué.',
      next: 'Ne l’échangez qu’une fois : recharger la page de retour ne doit pas relancer l’échange.',
    },
    refresh_token_expired: {
      what: 'Le `refresh_token` avait expiré : il est resté trop longtemps sans servir.',
      next: NEW_SIGN_IN,
    },
    refresh_token_used: {
      what: 'Le `refresh_token` avait déjà servi.',
      more: 'Par prudence, toute cette connexion a été révoquée.',
      next: 'Enregistrez chaque nouveau `refresh_token` avant de vous en servir, et ne renouvelez pas deux fois en parallèle. Vous pouvez régler un délai de grâce dans l’application.',
    },
    second_factor_demanded: {
      what: 'Un second facteur est désormais exigé, et cette autorisation a été donnée sans.',
      next: 'Demandez à la personne de se reconnecter : elle montrera son second facteur au passage.',
    },
    access_ended: {
      what: 'L’accès a pris fin.',
      more: 'Accès révoqué, session fermée avant l’échange du code, mot de passe changé, compte fermé ou application réinitialisée.',
      next: NEW_SIGN_IN,
    },
    scope_beyond_grant: {
      what: 'La portée « {scope} » va au-delà de ce que la personne a autorisé.',
      next: 'Retirez `scope` du renouvellement, ou refaites une demande d’autorisation avec cette portée.',
    },
    resource_of_device: {
      what: 'Un appareil a nommé une ressource (`resource`).',
      more: 'Ses jetons ne valent que pour ce service.',
      next: 'Retirez `resource` de la demande de l’appareil.',
    },
    resource_many: {
      what: 'La demande nomme trop de ressources (`resource`) : cinq au plus.',
      next: 'Ne nommez que les API dont votre application a besoin pour cette connexion.',
    },
    resource_unknown: {
      what: 'Aucune API n’est enregistrée ici avec l’identifiant {sent}.',
      next: 'Envoyez l’identifiant de l’API, caractère par caractère, ou retirez `resource`.',
    },
    resource_closed: {
      what: 'L’API {sent} n’est pas ouverte à cette application.',
      more: 'Son propriétaire décide de celles qu’elle admet.',
      next: 'Demandez au propriétaire de l’API de l’ouvrir, ou retirez `resource`.',
    },
    resource_excluded: {
      what: 'Le propriétaire de l’API {sent} a coupé l’accès de cette application.',
      next: 'Demandez-lui pourquoi. Tant qu’il ne l’a pas rétabli, retirez `resource`.',
    },
    resource_suspended: {
      what: 'L’API {sent} est suspendue.',
      next: 'Rien à corriger dans votre application : adressez-vous au propriétaire de l’API. En attendant, retirez `resource`.',
    },
    scope_not_of_api: {
      what: '`scope` (« {sent} ») ne nomme rien de ce que l’API {resource} propose à cette application.',
      next: 'Demandez au moins une portée de chaque API que nomme `resource`, écrite comme l’a fait son propriétaire, ou retirez `resource`.',
    },
    resource_beyond_grant: {
      what: 'La personne n’a pas donné accès à la ressource {sent}.',
      more: 'La demande d’autorisation ne la nommait pas, ou la personne n’a coché aucune de ses portées.',
      next: 'Nommez-la déjà dans la demande d’autorisation, ou retirez `resource` ici.',
    },
    token_of_other: {
      what: 'Ce qui a été envoyé comme {what} a été donné à une autre application.',
      next: 'Vérifiez que le même Client ID sert dès la demande d’autorisation, et que chaque jeton est gardé avec le Client ID qui l’a reçu.',
    },
    access_token_sent_twice: {
      what: 'L’`access_token` a été envoyé deux fois : dans l’en-tête et dans le formulaire.',
      next: 'Envoyez-le dans l’en-tête Authorization seulement.',
    },
    access_token_expired: {
      what: 'L’`access_token` avait expiré.',
      next: 'Renouvelez-le avec le `refresh_token`, puis recommencez.',
    },
    access_token_missing: {
      what: 'L’`access_token` manquait.',
      next: 'Envoyez l’en-tête Authorization, avec le mot Bearer, une espace et le jeton.',
    },
    access_token_in_form: {
      what: 'L’`access_token` est venu par le formulaire, ce que cette application ne peut faire qu’en mode standard.',
      next: 'Envoyez-le dans l’en-tête Authorization, ou passez l’application en mode standard.',
    },
    profile_scope_missing: {
      what: 'L’`access_token` n’a pas la portée {scope}, sans laquelle userinfo ne répond pas.',
      next: 'Demandez aussi cette portée. En mode standard, `openid` suffit.',
    },
    logout_hint: {
      what: 'Déconnexion : `id_token_hint` n’est pas un `id_token` de ce service.',
      next: 'Envoyez le dernier `id_token` reçu de ce service, entier, ou retirez ce paramètre.',
    },
    logout_address: {
      what: 'Déconnexion : l’URL de retour {sent} n’est pas enregistrée.',
      next: 'Enregistrez-la sur la page « Protocole », caractère par caractère, ou envoyez-en une qui l’est.',
    },
    method: {
      what: 'Cette adresse a été appelée avec {sent}.',
      next: 'Appelez les adresses des jetons et de la révocation avec POST.',
    },
    content_type: {
      what: 'Le corps n’était pas un formulaire (`Content-Type` : « {sent} »).',
      next: 'Envoyez `application/x-www-form-urlencoded`, pas du JSON.',
    },
    rate_limited: {
      what: 'Trop de demandes en une minute depuis cette adresse.',
      next: 'Attendez le nombre de secondes de `Retry-After`. Pour un serveur qui a besoin de plus, demandez aux responsables de ce service.',
    },
    https_required: {
      what: 'La demande est arrivée sans HTTPS.',
      next: 'Remplacez `http://` par `https://` dans l’adresse de ce service.',
    },
    request_incomplete: {
      what: 'La demande n’est pas arrivée en entier : la connexion a été coupée.',
      next: 'Réessayez. Si cela se répète, cherchez ce qui coupe la connexion entre votre serveur et ce service.',
    },
    body_too_large: {
      what: 'Le corps de la demande est trop grand.',
      next: 'N’envoyez que les paramètres nécessaires.',
    },
    service_failed: {
      what: 'Le service lui-même a échoué. Votre application n’est pas en cause.',
      next: 'Réessayez. Si cela dure, donnez le code d’incident aux responsables de ce service.',
    },
    service_busy: {
      what: 'Le service était trop occupé pour répondre.',
      next: 'Réessayez après le nombre de secondes de `Retry-After`.',
    },
    not_found: {
      what: 'Cette adresse n’existe pas sur ce service.',
      next: 'Prenez les adresses dans le document de découverte (`/.well-known/openid-configuration`).',
    },
    page_form: {
      what: 'Le navigateur de la personne a envoyé à une page de ce service un formulaire expiré ou non conforme.',
      next: NOTHING,
    },
    sign_up_closed: {
      what: 'La création de comptes est fermée sur ce service.',
      next: 'La personne doit demander un compte aux responsables de ce service.',
    },
  } satisfies Record<NotedKind, Words>,
};
