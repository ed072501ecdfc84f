// English: an application’s “Integrate” page, and the page about the sign-in button.
import type { integrate as reference } from '../fr/integrate.ts';

export const integrate: typeof reference = {
  copy: 'Copy',
  copied: 'Copied',
  showAll: (lines) => `Show all ${lines} lines`,
  showLess: 'Show fewer lines',

  testSignIn: {
    title: (application) => `Try ${application}`,
    lead: 'Sign in to your application as its users do, and see which claims it gets. The tokens are revoked immediately and never shown.',
    start: 'Try sign-in',
    done: (email) => `Signed in as ${email}. The tokens have already been revoked.`,
    again: 'Try again',
    back: 'Back to integration',
    denied: 'Access was denied.',
    refused: 'The sign-in failed.',
    over: 'This sign-in has expired, or its result was already shown. Try again.',
    tooMany: 'Too many attempts within an hour. Try again later.',
    error: 'Error',
    scopes: 'Granted scopes',
    idToken: 'Claims in the id_token',
    userinfo: 'Userinfo response',
  },

  button: {
    title: 'The sign-in button',
    lead: (service) =>
      `Show this button so that your users can sign in with their ${service} account. It looks the same everywhere, so people recognize it.`,
    preview: 'Preview',
    light: 'Light, recommended',
    dark: 'Dark',
    copyTitle: 'Code to copy',
    html: 'HTML for the light button',
    htmlDark: 'HTML for the dark button',
    css: 'CSS for both buttons',
    cssNote: (address) => `Copy this stylesheet, or load it directly from ${address} on any site.`,
    own: 'Each of your applications has an “Integrate” page with the button and library code, filled in with its Client ID.',
    ownLink: 'Open my applications',
    rules: 'The rules',
    text: 'Text',
    textRule: (service) =>
      `Exactly “Se connecter avec ${service}”, in French regardless of the page’s language.`,
    logo: 'Logo',
    logoRule:
      'Keep its proportions and its distance from the text. Never use it alone, recolor, distort or rotate it, or add a shadow or gradient.',
    logoAddress: 'Logo URL',
    height: 'Height',
    heightRule: 'At least 40\u00a0px.',
    background: 'Background',
    backgroundRule: 'A background that contrasts with the button.',
    variants: 'Variants',
    variantsRule: 'Only the light button (recommended) or the dark one.',
    values: 'Values',
    valuesNote: 'Do not change these values. They are all in the stylesheet above.',
    address: 'Button link',
    addressExample: 'Example URL',
    addressNote: 'The link opens the sign-in page. Spaces between scopes are encoded as plus signs (+).',
    parameters: {
      client_id: 'The Client ID of your application.',
      redirect_uri: 'One of its callback URLs, exactly as registered.',
      response_type: 'Always “code”.',
      scope: 'The scopes you need, separated by spaces.',
      state:
        'A new random value for each sign-in, stored in the session. Reject a response with a different value, because that sign-in was not started in this browser.',
      code_challenge:
        'For PKCE: the SHA-256 hash of the verifier in base64url, with code_challenge_method set to S256. Recommended, and required without a server.',
    },
    addressLibrary:
      'If a library handles sign-in, link the button to the route that starts it. The library builds this URL.',
  },

  page: {
    title: (application) => `Integrate ${application}`,
    parts: 'Integration',
    tabs: { code: 'Code', button: 'Button', reference: 'Reference' },
    languages: 'Language or platform',
    libraries: 'Library',
    install: 'Install',
    run: 'Run',
    try: 'Try it',
    tryHint: 'Sign in as your users do, and see which claims the application gets.',
    env: (isSecret) => (isSecret ? '.env (do not commit)' : '.env'),
    envSecret: (ending) =>
      ending === undefined ? 'the Client Secret' : `the Client Secret that ends in ${ending}`,
    envRandom: 'a random string: openssl rand -hex 16',
    secret: 'Client Secret',
    secretConfidential:
      'Shown only when it is created. Set it on your server as the environment variable `CLIENT_SECRET`. Never put it in source code or a repository.',
    secretPublic: 'None, because a web page or mobile application cannot keep one. PKCE is used instead.',
    issuer: 'Issuer',
    discovery: 'Discovery',
    callbackUrl: 'Callback URL',
    scopes: 'Scopes',
    claims: 'userinfo returns',
    claimsNone: '`403 insufficient_scope`, because the scope `profile` is missing',

    withoutProfile:
      'This application does not have the scope `profile`, so `userinfo` returns `403 insufficient_scope`. Add `profile`, or choose the standard names of the profile fields. With the standard names, `openid` is enough.',
    pictureNeedsStandard:
      'To get the picture with this library, choose the standard names of the profile fields.',
    withoutScopes: (missing) =>
      `This library needs the scope \`${missing}\`, which the application does not have.`,
    redirectUriMissing: (callback) =>
      `None of your callback URLs is suitable for this library. The example uses ${callback}: register it, or a similar URL.`,
    edit: 'Edit application',

    buttonRules: 'Rules for the button',
    replaceState:
      'Replace `STATE` with a new random value for each sign-in. If a library handles sign-in, link to the route that starts it, such as `/login`.',
    startInScript:
      'When the button is pressed, start the sign-in with your library, for example with `signinRedirect()`.',

    groups: {
      node: 'Node',
      python: 'Python',
      go: 'Go',
      java: 'Java',
      php: 'PHP',
      dotnet: '.NET',
      ruby: 'Ruby',
      front: 'Reverse proxies',
      page: 'Web page',
      react: 'React',
      ios: 'iOS',
      android: 'Android',
      http: 'curl',
    },
    snippets: {
      'openid-client': {
        title: 'openid-client',
        about: 'A small complete server, with PKCE, `state` and `nonce`.',
      },
      'auth-js': {
        title: 'Auth.js',
        about: 'For Next.js (NextAuth 5), SvelteKit and Express. Without `checks`, it sends no `state`.',
      },
      'passport-oauth2': {
        title: 'passport-oauth2',
        about: 'For Express. The `state` option needs a session (express-session).',
      },
      'passport-openidconnect': {
        title: 'passport-openidconnect',
        about: 'For Express, with `id_token`, `state` and `nonce`, but without PKCE.',
      },
      spring: {
        title: 'Spring Security',
        about: 'The callback URL is under `/login/oauth2/code/`.',
      },
      'mod-auth-openidc': {
        title: 'mod_auth_openidc',
        about: 'For Apache. The callback URL must be under the protected path and must not serve content.',
      },
      'oauth2-proxy': {
        title: 'oauth2-proxy',
        about: 'Accepts only verified email addresses. `--cookie-refresh` needs a grace period of 10 s.',
      },
      authlib: {
        title: 'Authlib',
        about: 'A small, complete Flask server, with PKCE, `state` and `nonce`.',
      },
      django: {
        title: 'mozilla-django-oidc',
        about: 'Three snippets for your Django project. Users are matched by `sub`, not by email address.',
      },
      'go-oidc': {
        title: 'go-oidc',
        about: 'A small complete server, with PKCE, `state` and `nonce`.',
      },
      league: {
        title: 'league/oauth2-client',
        about: 'A single file, with PKCE and `state`. Does not use the `id_token`.',
      },
      aspnet: {
        title: 'ASP.NET Core',
        about: 'The complete `Program.cs` of a small application.',
      },
      omniauth: {
        title: 'omniauth_openid_connect',
        about: 'For Rails.',
      },
      'oidc-client-ts': {
        title: 'oidc-client-ts',
        about: 'A complete page for Vite, with PKCE. Tokens stay in memory.',
      },
      'react-oidc-context': {
        title: 'react-oidc-context',
        about: 'A complete page for Vite, with PKCE. Tokens stay in memory.',
      },
      'appauth-ios': {
        title: 'AppAuth for iOS',
        about: 'A class for your application, with PKCE, `state` and `nonce`. The service must use https.',
      },
      'appauth-android': {
        title: 'AppAuth for Android',
        about:
          'An activity for your application, with PKCE, `state` and `nonce`. The service must use https.',
      },
      http: {
        title: 'curl',
        about: 'Every request from sign-in to revocation, to try in a terminal.',
      },
    },
  },
};
