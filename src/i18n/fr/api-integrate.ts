// French: “Protect” page of an API: code that verifies access tokens.

export const apiIntegrate = {
  part: 'Intégrer',
  title: (api: string) => `Protéger ${api}`,
  lead: 'Publiez un document de métadonnées qui indique l’émetteur des jetons, citez son URL dans vos réponses 401 et vérifiez chaque jeton.',
  noScopes: 'Cette API n’a pas de portée, et ses jetons n’en contiennent aucune.',
  noScopesInCode:
    'Le code utilise la portée `read` en exemple : retirez la vérification de la portée, ou ajoutez une portée.',
  addScope: 'Ajouter une portée',

  libraries: 'Langage ou bibliothèque',
  tabs: {
    'api-node': 'Node',
    'api-mcp': 'Serveur MCP',
    'api-mcp-python': 'Serveur MCP en Python',
    'api-python': 'Python',
    'api-go': 'Go',
    'api-spring': 'Spring',
    introspect: 'Introspection',
  },
  snippets: {
    'api-node': {
      title: 'API en Node, avec jose',
      about: 'Le document de métadonnées, la réponse 401 et la vérification du jeton.',
    },
    'api-mcp': {
      title: 'Serveur MCP, avec le SDK TypeScript',
      about: 'Un serveur MCP complet, sans état, avec un outil.',
    },
    'api-mcp-python': {
      title: 'Serveur MCP, avec le SDK Python',
      about: 'Un serveur MCP complet, sans état, avec un outil.',
    },
    'api-python': {
      title: 'API en Python, avec Authlib et Flask',
      about: 'Authlib vérifie le jeton ; `protected` exige une portée pour chaque appel.',
    },
    'api-go': {
      title: 'API en Go, avec go-oidc',
      about: 'go-oidc vérifie le jeton, sauf son type, que ce code vérifie.',
    },
    'api-spring': {
      title: 'API en Spring',
      about: 'Ce code est nécessaire, car Spring n’accepte par défaut ni ES256 ni le type `at+jwt`.',
    },
    introspect: {
      title: 'Introspection (RFC 7662), avec curl',
      about: 'Détecte immédiatement un jeton révoqué. Votre API a besoin d’un secret.',
    },
  },
  secrets: 'Créer un secret',

  documentTitle: 'Document de métadonnées',
  documentText:
    'Les clients le lisent pour trouver le serveur d’autorisation (RFC 9728). Servez-le en `application/json`, sans authentification, exactement à l’URL du document ci-dessus.',
  documentAddress: 'URL du document',
  documentName: 'Document',
  challengeTitle: 'Réponses d’erreur',
  challengeText: 'Si le jeton est absent ou refusé, répondez 401 avec cet en-tête.',
  challengeScopeText:
    'Si le jeton est absent ou refusé, répondez 401 avec le premier en-tête. S’il manque seulement une portée, répondez 403 avec le second, qui indique la portée : les clients la demandent alors à la personne.',
  challengeMissing: 'En-tête d’une réponse 401',
  challengeScope: 'En-tête d’une réponse 403',

  checksTitle: 'Ce que votre code doit vérifier',
  checks: (lifetime: string): string[] => [
    'signature : `ES256` avec nos clés publiées, sans tenir compte de l’algorithme indiqué par le jeton',
    '`typ` : `at+jwt`, pour qu’un `id_token` ne soit pas accepté comme jeton d’accès',
    '`iss` : l’URL de notre émetteur, au caractère près',
    '`aud` : l’identifiant de cette API, au caractère près',
    `\`exp\` : dans le futur ; un jeton est valable ${lifetime}`,
    '`scope` : la portée qu’exige l’appel',
  ],

  identifier: 'Identifiant de l’API (aud)',
  issuer: 'Émetteur (iss)',
  keys: 'Clés publiques',
  metadata: 'Métadonnées du serveur',
  introspection: 'Introspection',
};
