// Owns the French texts of the page about the button and of each application's page of code to copy.

export const integrate = {
  copy: 'Copier',
  copied: 'Copié',

  button: {
    title: 'Le bouton de connexion',
    lead: (service: string) =>
      `Affichez ce bouton pour que vos utilisateurs se connectent avec leur compte ${service}. Il est le même partout : c’est ainsi qu’on le reconnaît.`,
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
      `Copiez cette feuille de style dans la vôtre, ou chargez-la directement depuis ${address} : tout site y est autorisé.`,
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
    values: 'Valeurs',
    valuesNote: 'Fixes : la feuille de style ci-dessus les contient toutes.',
    address: 'L’adresse où il mène',
    addressExample: 'Exemple d’URL',
    addressNote:
      'Le lien ouvre la page de connexion. Les espaces entre les portées s’y écrivent avec un signe plus (+).',
    parameters: {
      client_id: 'Le Client ID de votre application.',
      redirect_uri: 'L’une de ses URL de retour, au caractère près.',
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
    languages: 'Langage de programmation',
    libraries: 'Bibliothèque',
    terminal: 'Terminal',
    run: 'Lancement',
    envSecret: (ending?: string) =>
      ending === undefined ? 'le Client Secret' : `le Client Secret qui se termine par ${ending}`,
    envRandom: 'un texte au hasard : openssl rand -hex 16',
    envNote: 'Gardez `.env` hors du dépôt. Le code lit tout ce qu’il contient.',
    facts: 'Ce que votre code doit savoir',
    secret: 'Client Secret',
    secretConfidential:
      'Montré une seule fois, à sa création. Donnez-le à votre serveur par la variable d’environnement `CLIENT_SECRET`, jamais dans le code ni dans le dépôt.',
    secretPublic: 'Aucun : une page ou une application mobile ne peut pas en garder. PKCE en tient lieu.',
    issuer: 'Émetteur (issuer)',
    discovery: 'Découverte',
    callbackUrl: 'URL de retour',
    scopes: 'Portées',
    claims: 'userinfo répond',
    claimsNone: 'rien : `403 insufficient_scope`, faute de la portée `profile`',

    withoutProfile:
      'Cette application n’a pas choisi la portée `profile` : `userinfo` lui répondra `403 insufficient_scope`, et les bibliothèques qui lisent le profil s’arrêteront là. Ajoutez `profile`, ou passez en mode standard, où `openid` suffit.',
    withoutScopes: (missing: string) =>
      `Cette bibliothèque a besoin de la portée \`${missing}\`, que l’application n’a pas.`,
    callbackMissing: (callback: string) =>
      `Aucune de vos URL de retour ne convient à cette bibliothèque. L’exemple est rempli avec ${callback} : enregistrez-la, ou une autre de même forme.`,
    edit: 'Modifier l’application',

    buttonTitle: 'Le bouton',
    buttonRules: 'Les règles du bouton',
    replaceState:
      'Remplacez `STATE` par une valeur au hasard, nouvelle à chaque connexion. Si une bibliothèque se charge de la connexion, mettez à la place de cette adresse celle de votre application qui la lance, par exemple `/login`.',

    groups: {
      node: 'Node',
      python: 'Python',
      go: 'Go',
      java: 'Java',
      php: 'PHP',
      dotnet: '.NET',
      ruby: 'Ruby',
      front: 'Devant une application',
      bare: 'Sans bibliothèque',
    },
    snippets: {
      'openid-client': {
        title: 'openid-client 6 (Node)',
        about: 'Un petit serveur complet, avec PKCE, `state` et `nonce`.',
      },
      'auth-js': {
        title: 'Auth.js v5 (NextAuth)',
        about: 'Pour Next.js, SvelteKit et Express. Sans `checks`, pas de `state` envoyé.',
      },
      'passport-oauth2': {
        title: 'Passport, avec passport-oauth2',
        about: 'L’option `state` a besoin d’une session (express-session).',
      },
      'passport-openidconnect': {
        title: 'Passport, avec passport-openidconnect',
        about: 'Avec `id_token`, `state` et `nonce`, mais sans PKCE.',
      },
      spring: {
        title: 'Spring Security',
        about: 'Spring revient à une adresse en `/login/oauth2/code/`.',
      },
      'mod-auth-openidc': {
        title: 'Apache, avec mod_auth_openidc',
        about: 'L’URL de retour doit être sous le chemin protégé, sans contenu.',
      },
      'oauth2-proxy': {
        title: 'oauth2-proxy',
        about: 'Adresses e-mail vérifiées seulement. `--cookie-refresh` : délai de grâce de 10 s.',
      },
      authlib: {
        title: 'Authlib, avec Flask',
        about: 'Un petit serveur complet, avec PKCE, `state` et `nonce`.',
      },
      django: {
        title: 'Django, avec mozilla-django-oidc',
        about: 'Trois morceaux. Les personnes sont retrouvées par `sub`, pas par l’e-mail.',
      },
      'go-oidc': {
        title: 'golang.org/x/oauth2, avec go-oidc',
        about: 'Un petit serveur complet, avec PKCE, `state` et `nonce`.',
      },
      league: {
        title: 'league/oauth2-client',
        about: 'Un seul fichier, avec PKCE et `state`, sans `id_token`.',
      },
      aspnet: {
        title: 'ASP.NET Core',
        about: 'Tout le `Program.cs` d’une petite application.',
      },
      omniauth: {
        title: 'OmniAuth, avec omniauth_openid_connect',
        about: 'Pour Rails. Pour la photo, passez cette application en mode standard.',
      },
      browser: {
        title: 'Dans la page, sans serveur',
        about: 'Un module sans dépendance, avec PKCE. Gardez les jetons en mémoire.',
      },
      http: {
        title: 'HTTP, pas à pas (curl)',
        about: 'Chaque requête, de la connexion à la révocation, dans un terminal.',
      },
    },
  },
};
