// Owns the French texts of: the code that an API copies to check access tokens.

export const apiIntegrate = {
  part: 'Protéger',
  title: (api: string) => `Protéger ${api}`,
  lead: 'Trois choses font qu’un programme trouve seul comment obtenir un jeton pour votre API, et que personne n’y entre sans jeton : un document qui indique qui donne les jetons, une réponse 401 qui mène à ce document, et la vérification de chaque jeton. Tout est rempli avec l’identifiant de cette API.',
  noScopes:
    'Cette API n’a pas de portée, et ses jetons n’en indiquent aucune. Le code est rempli avec la portée `read` en exemple : retirez-en la vérification de la portée, ou ajoutez-en une.',
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
      about: 'Le document, le refus qui y mène, et la vérification.',
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
      about: 'Authlib vérifie le jeton ; `protected` demande la portée, appel par appel.',
    },
    'api-go': {
      title: 'API en Go, avec go-oidc',
      about: 'go-oidc vérifie le jeton ; son type est vérifié à part.',
    },
    'api-spring': {
      title: 'API en Spring',
      about: 'Sans ces lignes, Spring refuse nos jetons : ES256, type `at+jwt`.',
    },
    introspect: {
      title: 'Introspection (RFC 7662), avec curl',
      about: 'Vous apprenez aussitôt une révocation. Votre API a besoin d’un secret.',
    },
  },
  secrets: 'Créer un secret',

  documentTitle: 'Le document que votre API sert',
  documentText:
    'Les programmes le lisent pour savoir où la personne donne son autorisation (RFC 9728). Servez-le en `application/json`, sans authentification, exactement à cette adresse :',
  documentAddress: 'Adresse du document',
  documentName: 'Document',
  challengeTitle: 'Ce que votre API répond quand elle refuse un appel',
  challengeText:
    'Sans jeton, ou avec un jeton refusé, répondez 401 avec cet en-tête ; s’il manque seulement une portée, répondez 403 avec le second, qui la nomme : les programmes la demandent alors à la personne.',
  challengeMissing: 'En-tête d’une réponse 401',
  challengeScope: 'En-tête d’une réponse 403',

  checksTitle: 'Ce que votre code vérifie',
  checks: (lifetime: string): string[] => [
    'signature : `ES256`, par nos clés publiées, jamais par un algorithme que le jeton choisit',
    '`typ` : `at+jwt`, sinon un `id_token` passerait pour un jeton d’accès',
    '`iss` : notre adresse, au caractère près',
    '`aud` : l’identifiant de cette API, au caractère près',
    `\`exp\` : un jeton vit ${lifetime}`,
    '`scope` : la portée que cet appel demande',
  ],

  facts: 'Ce que votre code doit savoir',
  identifier: 'Identifiant de l’API (aud)',
  issuer: 'Émetteur (iss)',
  keys: 'Clés publiées',
  metadata: 'Nos métadonnées',
  introspection: 'Introspection',
};
