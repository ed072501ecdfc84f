// Owns the French texts of the page about the button and of each application's page of code to copy.

export const integrate = {
  copy: 'Copier',
  copied: 'Copié',

  button: {
    title: 'Le bouton de connexion',
    lead: (service: string) =>
      `Pour que les gens se connectent à votre application avec leur compte ${service}, montrez ce bouton. Il est le même partout, et c’est à cela qu’on le reconnaît.`,
    preview: 'Aperçu',
    light: 'Clair, recommandé',
    dark: 'Sombre',
    previewNote:
      'Survolez-les pour les voir réagir. Ils mènent à une adresse d’exemple : son Client ID n’existe pas, et la page d’erreur qui s’ouvre le dit.',
    copyTitle: 'À copier',
    html: 'HTML du bouton clair',
    htmlDark: 'HTML du bouton sombre',
    css: 'CSS des deux boutons',
    cssNote: (address: string) =>
      `Copiez cette feuille de style dans la vôtre, ou chargez-la depuis ${address} : les autres sites y ont droit.`,
    own: 'Vos applications ont chacune une page « Intégrer », où tout cela est rempli avec leur Client ID, avec le code à copier pour votre bibliothèque.',
    ownLink: 'Ouvrir mes applications',
    rules: 'Les règles',
    text: 'Texte',
    textRule: (service: string) =>
      `Exactement « Se connecter avec ${service} », en français quelle que soit la langue de la page.`,
    logo: 'Logo',
    logoRule:
      'Avec ses proportions et l’espace qui le sépare du texte, jamais seul. Ni recoloré, ni déformé, ni tourné, ni étiré, sans ombre ni dégradé.',
    logoAddress: 'Adresse du logo',
    height: 'Hauteur',
    heightRule: 'Au moins 40 px.',
    background: 'Fond',
    backgroundRule: 'Un fond qui contraste avec le bouton.',
    variants: 'Variantes',
    variantsRule: 'Le bouton clair, recommandé, ou le sombre. Pas d’autre.',
    values: 'Les valeurs',
    valuesNote: 'Elles sont fixes. La feuille de style ci-dessus les contient toutes.',
    property: 'Propriété',
    lightColumn: 'Clair',
    darkColumn: 'Sombre',
    properties: {
      layout: 'Disposition',
      padding: 'Marges intérieures',
      background: 'Fond',
      border: 'Bordure',
      radius: 'Coins arrondis',
      font: 'Police',
      color: 'Couleur du texte',
      decoration: 'Soulignement',
      cursor: 'Pointeur',
      transition: 'Transition',
      shadow: 'Ombre',
      logo: 'Taille du logo',
      height: 'Hauteur minimale',
      hover: 'Au survol',
      hoverLift: 'Ombre au survol',
    },
    sameLayout: 'ligne flexible (inline-flex), centrée, espace de 10px',
    sameFont: 'celle de la page, 15px, graisse 600',
    none: 'aucun',
    logoSize: '22px sur 22px',
    hoverLight: 'bordure #818cf8',
    hoverDark: 'fond et bordure #4338ca',
    hoverBoth: '0 4px 12px rgba(99, 102, 241, 0.15), et le bouton monte de 1px',
    address: 'L’adresse où il mène',
    addressNote:
      'Le lien ouvre la page de connexion. Les espaces entre les scopes s’y écrivent avec un signe plus (+).',
    parameters: {
      client_id: 'Le Client ID de votre application.',
      redirect_uri: 'Une de ses URL de callback, au caractère près.',
      response_type: 'Toujours « code ».',
      scope: 'Ce que vous voulez lire, séparé par des espaces.',
      state:
        'Une valeur au hasard, nouvelle à chaque connexion et gardée dans la session. Refusez la réponse qui n’en porte pas la même : elle ne vient pas de la connexion que ce navigateur a commencée.',
      code_challenge:
        'Avec PKCE, recommandé partout et obligatoire sans serveur : le condensé SHA-256 du vérificateur, en base64url, et code_challenge_method égal à S256.',
    },
    addressLibrary:
      'Si une bibliothèque se charge de la connexion, le bouton mène à l’adresse de votre application qui la lance : c’est elle qui écrit cette adresse.',
  },

  page: {
    title: (application: string) => `Intégrer ${application}`,
    lead: 'Tout ce qu’il faut copier est rempli pour cette application. Rien n’y est secret.',
    facts: 'Ce que votre code doit savoir',
    secret: 'Client Secret',
    secretConfidential:
      'Montré une seule fois, à sa création. Donnez-le à votre serveur par la variable d’environnement `CLIENT_SECRET`, jamais dans le code ni dans le dépôt.',
    secretPublic: 'Aucun : une page ou une application mobile ne peut pas en garder. PKCE en tient lieu.',
    issuer: 'Émetteur (issuer)',
    discovery: 'Découverte',
    callback: 'URL de callback',
    scopes: 'Scopes',
    claims: 'userinfo répond',
    claimsNone: 'rien : `403 insufficient_scope`, faute du scope `profile`',

    withoutProfile:
      'Cette application n’a pas choisi le scope `profile` : `userinfo` lui répondra `403 insufficient_scope`, et les bibliothèques qui lisent le profil s’arrêteront là. Ajoutez `profile`, ou passez au mode OpenID Connect standard, où `openid` suffit.',
    withoutScopes: (libraries: string, scopes: string) =>
      `Pour ${libraries}, il manque un scope à cette application : ${scopes}.`,
    edit: 'Modifier l’application',

    buttonTitle: 'Le bouton',
    buttonNote: 'Son texte reste français dans toutes les langues. Les règles à suivre ont leur page.',
    buttonRules: 'Les règles du bouton',
    previewLink:
      'L’aperçu est un vrai lien : il ouvre la connexion à votre application, avec un `state` qu’elle ne connaît pas. Elle doit refuser la réponse, et c’est une bonne première vérification.',
    previewScript:
      'Dans cet aperçu il ne fait rien ; dans votre page, le script ci-dessous lance la connexion.',
    replaceState:
      'Remplacez `STATE` par une valeur au hasard, nouvelle à chaque connexion. Si une bibliothèque se charge de la connexion, mettez à la place de cette adresse celle de votre application qui la lance, par exemple `/login`.',

    mode: 'Le mode de cette application',
    modeContract:
      'Elle est en mode ordinaire : `state` est obligatoire, `userinfo` demande le scope `profile` et répond avec `avatar`, `phone` et une date `updated_at` en toutes lettres (ISO 8601).',
    modeStandard:
      'Elle est en mode OpenID Connect standard : `state` est facultatif mais recommandé, `openid` suffit pour `userinfo`, qui répond avec `picture`, `phone_number` et `updated_at` en secondes ; chaque renouvellement apporte un nouvel `id_token`.',
    modeBoth:
      'Dans les deux modes, le scope `openid` apporte un `id_token` à la connexion et `sub` à `userinfo`.',
    idTokenPlain:
      'L’`id_token` de cette application ne dit que qui et quand ; le nom, l’image et l’adresse viennent de `userinfo`.',
    idTokenClaims:
      'L’`id_token` de cette application porte le nom, l’adresse et le reste des scopes accordés, comme `userinfo`.',
    idTokenSwitch: 'Changer ce que porte l’id_token',
    modeAdvice:
      'Les exemples ci-dessous marchent dans les deux modes. Passez au mode standard si votre bibliothèque cherche l’image dans `picture` ou le téléphone dans `phone_number`.',

    code: 'Le code',
    codeNote:
      'Choisissez ce que votre application utilise déjà. Tous ces exemples envoient `state` et le vérifient.',
    filledWith: (callback: string) => `Rempli avec l’URL de callback ${callback}.`,
    callbackMissing: (callback: string) =>
      `Aucune de vos URL de callback ne convient à cette bibliothèque. L’exemple est rempli avec ${callback} : enregistrez-la, ou une autre de la même forme.`,
    snippets: {
      'openid-client': {
        title: 'openid-client 6 (Node)',
        about:
          'Un petit serveur complet, avec PKCE, `state` et nonce. Il lance la connexion à `/login` et montre le profil ; remplacez-le par votre propre session.',
      },
      'auth-js': {
        title: 'Auth.js (NextAuth)',
        about:
          'La même configuration pour Next.js, SvelteKit et Express. Sans l’option `checks`, Auth.js n’enverrait pas de `state`. Il revient toujours à une adresse qui finit par callback et le nom du fournisseur.',
      },
      'passport-oauth2': {
        title: 'Passport, avec passport-oauth2',
        about:
          'L’option `state` demande une session (express-session) ; sans elle rien ne lierait la réponse au navigateur.',
      },
      'passport-openidconnect': {
        title: 'Passport, avec passport-openidconnect',
        about:
          'Avec `id_token` et nonce, mais sans PKCE. Il envoie `state` de lui-même et le garde dans la session.',
      },
      spring: {
        title: 'Spring Security',
        about:
          'Pour `application.yml`. Spring envoie `state` et nonce de lui-même, et revient à une adresse en `/login/oauth2/code/`.',
      },
      'mod-auth-openidc': {
        title: 'Apache, avec mod_auth_openidc',
        about:
          'Protège un site entier sans une ligne de code. L’URL de callback doit être sous le chemin protégé et ne mener à aucun contenu.',
      },
      'oauth2-proxy': {
        title: 'oauth2-proxy',
        about:
          'Se place devant une application qui ne connaît pas OpenID Connect. Il ne laisse entrer que les gens dont l’adresse e-mail est vérifiée.',
      },
      browser: {
        title: 'Dans la page, sans serveur',
        about:
          'Un module sans dépendance, avec PKCE : `state` et vérificateur sont tirés au hasard et attendent dans le stockage de session de l’onglet. Gardez les jetons en mémoire seulement.',
      },
      http: {
        title: 'HTTP, pas à pas (curl)',
        about: 'Chaque requête de la connexion à la révocation, à essayer dans un terminal.',
      },
    },
  },
};
