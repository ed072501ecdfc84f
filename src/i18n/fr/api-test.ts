// Owns the French texts of: the connection tester.

export const apiTest = {
  part: 'Tester',
  title: (api: string) => `Tester la connexion à ${api}`,
  lead: 'Nous faisons ce que fait un agent devant un serveur MCP : l’appeler sans jeton, suivre le refus jusqu’à ce service, vous demander votre autorisation, l’appeler avec un jeton. La première étape qui échoue est expliquée. Le jeton n’est jamais montré, et il est révoqué à la fin.',
  address: 'Adresse du serveur MCP',
  addressHint: 'Celle que vous donneriez à un agent.',
  action: 'Commencer le test',
  again: 'Recommencer',
  otherOrigin:
    'Saisissez une adresse du serveur de cette API : même protocole, même nom, même port que son identifiant.',
  tooMany: 'Vous avez fait dix tests en une heure, le maximum. Réessayez dans quelques minutes.',

  result: 'Ce que nous avons trouvé',
  done: 'Tout fonctionne : un agent qui ne connaît que cette adresse obtient un jeton, et votre serveur le laisse entrer. Le jeton du test est révoqué.',
  doneWithoutAgents:
    'Votre serveur fonctionne : il accepte un bon jeton, et rien d’autre. Mais ce service n’accepte encore aucun agent : pour l’instant, seules les applications enregistrées en obtiennent. Le jeton du test est révoqué.',
  allSteps: (count: number) => `Les ${count} étapes, toutes franchies`,
  failedAt: (step: string) => `Le test s’arrête à l’étape « ${step} ».`,
  goOn: 'Tout ce qui se vérifie sans vous est en ordre. Un agent vous demanderait maintenant votre autorisation : le test le fait aussi, puis appelle votre serveur en votre nom.',
  authorize: 'Continuer vers l’autorisation',
  states: { passed: 'réussie', failed: 'échec', ahead: 'à venir' },
  expected: 'Attendu',
  seen: 'Reçu',
  remedy: 'Que faire',

  steps: {
    reach: 'Le serveur répond',
    challenge: 'Le refus dit où aller',
    document: 'Le document est lisible',
    resource: 'Le document parle de cette API',
    server: 'Le document mène ici',
    identity: 'L’agent est connu ici',
    scopes: 'Les portées existent',
    authorization: 'Votre autorisation',
    token: 'Le jeton',
    call: 'Le premier appel',
  },

  remedies: {
    'not-https':
      'L’adresse doit commencer par `https://` : un jeton ne voyage pas en clair. Mettez un certificat devant votre serveur.',
    'not-public':
      'Ce nom de domaine n’existe pas, ou son adresse n’est pas publique : ce service ne l’appelle pas, et un agent hébergé ne la trouverait pas non plus. Vérifiez le nom et ses enregistrements DNS, et testez à une adresse publique.',
    refused: 'Aucun serveur n’écoute à cette adresse. Démarrez-le, vérifiez le port et le pare-feu.',
    timeout:
      'Le serveur a mis plus de cinq secondes. Les agents n’attendent guère plus : répondez au refus et au document sans rien calculer.',
    'too-large':
      'La réponse est trop longue. Un refus, ce document ou une première réponse tiennent en peu de lignes.',
    encoded:
      'La réponse est compressée alors que personne ne l’a demandé : désactivez cela pour cette adresse.',
    failed: 'La connexion a échoué. Vérifiez le certificat et ce que le serveur écrit dans ses journaux.',
    redirect:
      'Aucune redirection n’est suivie : un jeton ne doit pas partir ailleurs. Donnez l’adresse finale, ou répondez à celle-ci, sans ajouter ni retirer de barre oblique.',
    open: 'Le serveur laisse entrer sans jeton. Vérifiez un jeton à chaque appel, le premier compris.',
    not401:
      'Seul `401` fait comprendre à un agent qu’il lui faut un jeton. Vérifiez le chemin de l’adresse, et que le serveur refuse avant de regarder la demande.',
    noChallenge: 'Ajoutez l’en-tête `WWW-Authenticate` à la réponse `401`. La page « Protéger » le montre.',
    notBearer: 'L’en-tête doit proposer `Bearer`, le mot par lequel on demande un jeton.',
    badAddress: 'Le paramètre `resource_metadata` doit être une URL complète, celle du document.',
    not200: 'Servez le document à cette adresse, sans authentification. La page « Protéger » le montre.',
    notJson: 'Servez un objet JSON : l’adresse répond autre chose, une page peut-être.',
    otherResource:
      'Écrivez dans `resource` l’identifiant de cette API, au caractère près ; ou, si votre serveur a changé d’adresse, enregistrez une API pour la nouvelle.',
    otherServer:
      'Écrivez dans `authorization_servers` l’adresse de ce service, sans barre oblique à la fin. Un autre service donnerait d’autres jetons.',
    blocked: 'Les responsables de ce service ont bloqué l’agent de ce test. Demandez-leur de le débloquer.',
    later:
      'Ce service connaît déjà autant d’agents qu’il le peut. Réessayez plus tard, ou prévenez ses responsables.',
    otherScopes:
      'Le serveur demande des portées que cette API n’a pas, ou n’ouvre pas aux agents. Ajoutez-les à l’API, ouvrez-les, ou corrigez `scope` dans l’en-tête et `scopes_supported` dans le document.',
    closed:
      'Cette API n’est pas ouverte aux agents, et ce test en est un. Ouvrez-la dans ses réglages ; ou essayez avec votre propre application.',
    excluded:
      'L’accès de cet agent de test à l’API a été coupé. Laissez-le entrer à nouveau, sur la page « Accès ».',
    suspended: 'L’API est suspendue : aucun jeton n’est donné pour elle.',
    denied: 'Vous avez refusé. Recommencez, et autorisez pour aller au bout du test.',
    notAllowed: 'L’autorisation a été refusée. La raison est dans le diagnostic de cette API.',
    noToken: 'Le code n’a pas donné de jeton. La raison est dans le diagnostic de cette API.',
    tokenRefused:
      'Le serveur refuse un bon jeton. Comparez ce qu’il vérifie à la page « Protéger » : `iss`, `aud` au caractère près, `typ` `at+jwt`, `ES256`, son horloge.',
    scopeRefused:
      'Le jeton porte les portées demandées, et le serveur en veut d’autres. Nommez-les dans l’en-tête du refus `401`.',
    notMcp:
      'Le serveur prend le jeton, mais ne répond pas comme un serveur MCP à un `POST` de `initialize`. Vérifiez le chemin de l’adresse.',
  },
};
