// French: connection tester of an API.

export const apiTest = {
  part: 'Test de connexion',
  open: 'Tester la connexion',
  stepHint: 'Vérifiez que votre API sert le document et refuse les appels sans jeton.',
  mcpStepHint: 'Appelez votre serveur MCP comme le fait un agent, et voyez chaque étape.',
  title: (api: string) => `Tester la connexion à ${api}`,
  lead: 'Le test se comporte comme un agent : il appelle le serveur MCP sans jeton, suit la réponse 401 jusqu’à ce service, vous demande votre autorisation, puis rappelle le serveur avec un jeton, révoqué à la fin.',
  address: 'URL du serveur MCP',
  addressHint: 'L’URL que vous indiqueriez à un agent.',
  action: 'Commencer le test',
  again: 'Recommencer',
  otherOrigin:
    'Saisissez une URL avec le même protocole, le même hôte et le même port que l’identifiant de l’API.',
  tooMany: 'Vous avez atteint la limite de dix tests par heure. Réessayez dans quelques minutes.',

  result: 'Résultat',
  done: 'Tout fonctionne : avec cette seule URL, un agent obtient un jeton, et votre serveur l’accepte. Le jeton du test a été révoqué.',
  doneWithoutAgents:
    'Votre serveur fonctionne : il accepte un jeton valable et rien d’autre. Mais ce service n’autorise encore aucun agent : seules les applications enregistrées obtiennent des jetons. Le jeton du test a été révoqué.',
  passedSteps: (count: number) => (count === 1 ? 'Une étape a réussi' : `${count} étapes ont réussi`),
  failedAt: (step: string) => `Le test a échoué à l’étape « ${step} ».`,
  permissionNeeded:
    'Toutes les vérifications automatiques ont réussi. Le test va maintenant demander votre autorisation, comme le ferait un agent, puis appeler votre serveur en votre nom.',
  authorize: 'Continuer vers l’autorisation',
  states: { passed: 'OK', failed: 'échec', ahead: 'pas encore testé', skipped: 'non testé' },
  expected: 'Attendu',
  seen: 'Reçu',
  remedy: 'Que faire',

  steps: {
    reach: 'Le serveur répond',
    challenge: 'La réponse 401 indique le document',
    document: 'Le document est lisible',
    resource: 'Le document décrit cette API',
    server: 'Le document désigne ce service',
    identity: 'L’agent est reconnu',
    scopes: 'Les portées existent',
    authorization: 'Votre autorisation',
    token: 'Le jeton',
    call: 'Le premier appel',
  },

  remedies: {
    'not-https':
      'L’URL doit commencer par `https://` : un jeton ne doit pas circuler en clair. Configurez HTTPS sur votre serveur.',
    'not-public':
      'Ce nom de domaine n’existe pas ou ne correspond pas à une adresse IP publique : ni ce service ni un agent hébergé ne peuvent le joindre. Vérifiez le nom et ses enregistrements DNS, ou utilisez une URL publique.',
    refused: 'Connexion refusée. Vérifiez que le serveur est démarré, puis le port et le pare-feu.',
    timeout:
      'Le serveur a mis plus de cinq secondes à répondre. La plupart des agents n’attendent pas plus longtemps. Renvoyez la réponse 401 et le document sans délai.',
    'too-large':
      'La réponse est trop longue. La réponse 401, le document et la première réponse tiennent en quelques lignes.',
    encoded:
      'La réponse est compressée alors que la requête ne le demandait pas. Désactivez la compression pour cette URL.',
    failed: 'La connexion a échoué. Vérifiez le certificat et les journaux du serveur.',
    redirect:
      'Les redirections ne sont pas suivies, pour ne pas envoyer de jeton à un autre serveur. Saisissez l’URL finale, ou répondez à celle-ci, sans ajouter ni retirer de barre oblique finale.',
    open: 'Le serveur accepte les requêtes sans jeton. Exigez un jeton valable à chaque appel, y compris le premier.',
    not401:
      'Répondez `401` pour indiquer aux agents qu’il leur faut un jeton. Vérifiez le chemin de l’URL, et que le serveur contrôle le jeton avant de traiter la requête.',
    noChallenge:
      'Ajoutez l’en-tête `WWW-Authenticate` à la réponse `401`, comme indiqué sur la page « Protéger ».',
    notBearer: 'L’en-tête `WWW-Authenticate` doit utiliser le schéma `Bearer`.',
    invalidUrl: 'Le paramètre `resource_metadata` doit être l’URL complète du document.',
    not200:
      'Servez le document à cette URL, sans authentification. La page « Protéger » en indique le contenu.',
    notJson: 'La réponse n’est pas un objet JSON, mais peut-être une page web. Servez le document en JSON.',
    otherResource:
      'Indiquez dans `resource` l’identifiant de cette API, au caractère près. Si votre serveur a changé d’URL, enregistrez une API pour la nouvelle.',
    otherServer:
      'Indiquez dans `authorization_servers` l’URL de l’émetteur de ce service, sans barre oblique finale.',
    blocked: 'Ce service bloque l’agent de test. Demandez à votre administrateur de le débloquer.',
    later:
      'Ce service a atteint son nombre maximal d’agents. Réessayez plus tard, ou contactez votre administrateur.',
    otherScopes:
      'Le serveur demande des portées que cette API n’a pas, ou n’ouvre pas aux agents. Ajoutez-les à l’API, ouvrez-les, ou corrigez `scope` dans l’en-tête et `scopes_supported` dans le document.',
    closed:
      'Cette API n’est pas ouverte aux agents, et le test agit comme un agent. Ouvrez-la aux agents dans ses réglages, ou testez avec votre propre application.',
    excluded: 'L’accès de l’agent de test à cette API a été bloqué. Rétablissez-le sur la page « Accès ».',
    suspended: 'Cette API est suspendue : aucun jeton n’est délivré.',
    denied: 'Vous avez refusé la demande. Recommencez et choisissez « Autoriser » pour terminer le test.',
    notAllowed:
      'La requête d’autorisation a été refusée. Consultez le diagnostic de cette API pour en connaître la raison.',
    noToken:
      'Le code n’a pas pu être échangé contre un jeton. Consultez le diagnostic de cette API pour en connaître la raison.',
    tokenRefused:
      'Le serveur a refusé un jeton valable. Comparez ses vérifications à celles de la page « Protéger » : `iss` et `aud` (au caractère près), `typ` (`at+jwt`), l’algorithme (`ES256`) et l’horloge du serveur.',
    scopeRefused:
      'Le jeton contient les portées demandées, mais le serveur en exige d’autres. Indiquez-les dans l’en-tête de la réponse `401`.',
    notMcp:
      'Le serveur accepte le jeton, mais ne répond pas comme un serveur MCP à un `POST` de `initialize`. Vérifiez le chemin de l’URL.',
  },
};
