// French: “Integrate” page of an application and the sign-in button page.

export const integrate = {
  copy: 'Copier',
  copied: 'Copié',
  showAll: (lines: number) => `Afficher les ${lines} lignes`,
  showLess: 'Afficher moins de lignes',

  testSignIn: {
    title: (application: string) => `Essayer ${application}`,
    lead: 'Connectez-vous à votre application comme ses utilisateurs, et voyez les données qu’elle reçoit. Les jetons sont révoqués aussitôt et jamais affichés.',
    start: 'Essayer la connexion',
    done: (email: string) => `Connexion réussie\u202f: ${email}. Les jetons sont déjà révoqués.`,
    again: 'Réessayer',
    back: 'Retour à l’intégration',
    denied: 'L’accès a été refusé.',
    refused: 'La connexion a échoué.',
    over: 'Cette connexion a expiré, ou son résultat a déjà été affiché. Réessayez.',
    tooMany: 'Trop d’essais en une heure. Réessayez plus tard.',
    error: 'Erreur',
    scopes: 'Portées accordées',
    idToken: 'Contenu de l’id_token',
    userinfo: 'Réponse de userinfo',
  },

  button: {
    title: 'Le bouton de connexion',
    lead: (service: string) =>
      `Affichez ce bouton pour que vos utilisateurs se connectent avec leur compte ${service}. Il est le même partout : c’est ainsi qu’on le reconnaît.`,
    preview: 'Aperçu',
    light: 'Clair, recommandé',
    dark: 'Sombre',
    copyTitle: 'À copier',
    html: 'HTML du bouton clair',
    htmlDark: 'HTML du bouton sombre',
    css: 'CSS des deux boutons',
    cssNote: (address: string) =>
      `Copiez cette feuille de style, ou chargez-la directement depuis ${address} sur n’importe quel site.`,
    own: 'Chacune de vos applications a une page « Intégrer » avec le bouton et le code pour votre bibliothèque, où son Client ID est déjà inséré.',
    ownLink: 'Ouvrir mes applications',
    rules: 'Les règles',
    text: 'Texte',
    textRule: (service: string) =>
      `Exactement « Se connecter avec ${service} », en français quelle que soit la langue de la page.`,
    logo: 'Logo',
    logoRule:
      'Respectez ses proportions et l’espace qui le sépare du texte. Ne l’utilisez jamais seul, ne le recolorez pas, ne le déformez pas, ne le tournez pas, et n’ajoutez ni ombre ni dégradé.',
    logoAddress: 'URL du logo',
    height: 'Hauteur',
    heightRule: 'Au moins 40 px.',
    background: 'Fond',
    backgroundRule: 'Un fond qui contraste avec le bouton.',
    variants: 'Variantes',
    variantsRule: 'Le bouton clair, recommandé, ou le sombre. Pas d’autre.',
    values: 'Valeurs',
    valuesNote: 'Ne modifiez pas ces valeurs. La feuille de style ci-dessus les contient toutes.',
    address: 'Lien du bouton',
    addressExample: 'Exemple d’URL',
    addressNote:
      'Le lien ouvre la page de connexion. Les espaces entre les portées y sont encodés par un signe plus (+).',
    parameters: {
      client_id: 'Le Client ID de votre application.',
      redirect_uri: 'L’une de ses URL de retour, au caractère près.',
      response_type: 'Toujours « code ».',
      scope: 'Les portées nécessaires, séparées par des espaces.',
      state:
        'Une nouvelle valeur aléatoire à chaque connexion, conservée dans la session. Refusez une réponse dont la valeur est différente : ce navigateur n’a pas commencé cette connexion.',
      code_challenge:
        'Avec PKCE, recommandé partout et obligatoire sans serveur : le condensé SHA-256 du vérificateur, en base64url, et code_challenge_method égal à S256.',
    },
    addressLibrary:
      'Si une bibliothèque se charge de la connexion, le lien du bouton est l’URL de votre application qui la lance. La bibliothèque construit l’URL ci-dessus.',
  },

  page: {
    title: (application: string) => `Intégrer ${application}`,
    parts: 'Intégration',
    tabs: { code: 'Code', button: 'Bouton', reference: 'Référence' },
    languages: 'Langage ou plateforme',
    libraries: 'Bibliothèque',
    install: 'Installer',
    run: 'Lancer',
    try: 'Essayer',
    tryHint: 'Connectez-vous comme vos utilisateurs, et voyez ce que l’application reçoit.',
    env: (isSecret: boolean): string => (isSecret ? '.env (à ne pas versionner)' : '.env'),
    envSecret: (ending?: string) =>
      ending === undefined ? 'le Client Secret' : `le Client Secret qui se termine par ${ending}`,
    envRandom: 'une chaîne aléatoire : openssl rand -hex 16',
    secret: 'Client Secret',
    secretConfidential:
      'Affiché une seule fois, à sa création. Définissez-le sur votre serveur dans la variable d’environnement `CLIENT_SECRET`. Ne le mettez jamais dans le code ni dans un dépôt.',
    secretPublic: 'Aucun : une page ou une application mobile ne peut pas en garder. PKCE le remplace.',
    issuer: 'Émetteur (issuer)',
    discovery: 'Découverte',
    callbackUrl: 'URL de retour',
    scopes: 'Portées',
    claims: 'userinfo renvoie',
    claimsNone: '`403 insufficient_scope`, car il manque la portée `profile`',

    withoutProfile:
      'Cette application n’a pas la portée `profile` : `userinfo` renvoie `403 insufficient_scope`, et les bibliothèques qui lisent le profil échouent. Ajoutez `profile`, ou choisissez les noms standard des champs du profil, avec lesquels `openid` suffit.',
    pictureNeedsStandard:
      'Pour obtenir la photo avec cette bibliothèque, choisissez les noms standard des champs du profil.',
    withoutScopes: (missing: string) =>
      `Cette bibliothèque a besoin de la portée \`${missing}\`, que l’application n’a pas.`,
    redirectUriMissing: (callback: string) =>
      `Aucune de vos URL de retour ne convient à cette bibliothèque. L’exemple utilise ${callback} : enregistrez-la, ou une URL semblable.`,
    edit: 'Modifier l’application',

    buttonRules: 'Les règles du bouton',
    replaceState:
      'Remplacez `STATE` par une nouvelle valeur aléatoire à chaque connexion. Si une bibliothèque se charge de la connexion, utilisez plutôt l’URL de votre application qui la lance, par exemple `/login`.',
    startInScript:
      'Quand on appuie sur le bouton, lancez la connexion avec votre bibliothèque, par exemple avec `signinRedirect()`.',

    groups: {
      node: 'Node',
      python: 'Python',
      go: 'Go',
      java: 'Java',
      php: 'PHP',
      dotnet: '.NET',
      ruby: 'Ruby',
      front: 'Proxy inverse',
      page: 'Page web',
      react: 'React',
      ios: 'iOS',
      android: 'Android',
      http: 'curl',
    },
    snippets: {
      'openid-client': {
        title: 'openid-client',
        about: 'Un petit serveur complet, avec PKCE, `state` et `nonce`.',
      },
      'auth-js': {
        title: 'Auth.js',
        about: 'Pour Next.js (NextAuth 5), SvelteKit et Express. Sans `checks`, pas de `state` envoyé.',
      },
      'passport-oauth2': {
        title: 'passport-oauth2',
        about: 'Pour Express. L’option `state` a besoin d’une session (express-session).',
      },
      'passport-openidconnect': {
        title: 'passport-openidconnect',
        about: 'Pour Express, avec `id_token`, `state` et `nonce`, mais sans PKCE.',
      },
      spring: {
        title: 'Spring Security',
        about: 'L’URL de retour est sous `/login/oauth2/code/`.',
      },
      'mod-auth-openidc': {
        title: 'mod_auth_openidc',
        about: 'Pour Apache. L’URL de retour doit être sous le chemin protégé, sans contenu.',
      },
      'oauth2-proxy': {
        title: 'oauth2-proxy',
        about: 'Adresses e‑mail vérifiées seulement. `--cookie-refresh` : délai de grâce de 10 s.',
      },
      authlib: {
        title: 'Authlib',
        about: 'Un petit serveur Flask complet, avec PKCE, `state` et `nonce`.',
      },
      django: {
        title: 'mozilla-django-oidc',
        about:
          'Trois extraits de code pour Django. Les utilisateurs sont reconnus par `sub`, pas par e‑mail.',
      },
      'go-oidc': {
        title: 'go-oidc',
        about: 'Un petit serveur complet, avec PKCE, `state` et `nonce`.',
      },
      league: {
        title: 'league/oauth2-client',
        about: 'Un seul fichier, avec PKCE et `state`, sans `id_token`.',
      },
      aspnet: {
        title: 'ASP.NET Core',
        about: 'Le `Program.cs` complet d’une petite application.',
      },
      omniauth: {
        title: 'omniauth_openid_connect',
        about: 'Pour Rails.',
      },
      'oidc-client-ts': {
        title: 'oidc-client-ts',
        about: 'Une page complète pour Vite, avec PKCE. Les jetons restent en mémoire.',
      },
      'react-oidc-context': {
        title: 'react-oidc-context',
        about: 'Une page complète pour Vite, avec PKCE. Les jetons restent en mémoire.',
      },
      'appauth-ios': {
        title: 'AppAuth pour iOS',
        about:
          'Une classe pour votre application, avec PKCE, `state` et `nonce`. Le service doit être en https.',
      },
      'appauth-android': {
        title: 'AppAuth pour Android',
        about:
          'Une activité pour votre application, avec PKCE, `state` et `nonce`. Le service doit être en https.',
      },
      http: {
        title: 'curl',
        about: 'Chaque requête, de la connexion à la révocation, dans un terminal.',
      },
    },
  },
};
