// Owns the English texts of the page about the button and of each application's page of code to copy.
import type { integrate as reference } from '../fr/integrate.ts';

export const integrate: typeof reference = {
  copy: 'Copy',
  copied: 'Copied',

  button: {
    title: 'The sign-in button',
    lead: (service) =>
      `Show this button so that your users can sign in with their ${service} account. It looks the same everywhere, which is how people recognise it.`,
    preview: 'Preview',
    light: 'Light, recommended',
    dark: 'Dark',
    previewNote:
      'Hover over them to see them react. They lead to an example address: its Client ID does not exist, and the error page that opens says so.',
    copyTitle: 'To copy',
    html: 'HTML for the light button',
    htmlDark: 'HTML for the dark button',
    css: 'CSS for both buttons',
    cssNote: (address) =>
      `Copy this stylesheet into yours, or load it straight from ${address}: any site may.`,
    own: 'Each of your applications has an “Integrate” page, where all of this is filled in with its Client ID, together with the code to copy for your library.',
    ownLink: 'Open my applications',
    rules: 'The rules',
    text: 'Text',
    textRule: (service) =>
      `Exactly “Se connecter avec ${service}”, in French whatever the language of the page.`,
    logo: 'Logo',
    logoRule:
      'With its proportions and its distance from the text, never alone. Not recoloured, distorted, rotated or stretched, and without shadow or gradient.',
    logoAddress: 'Logo address',
    height: 'Height',
    heightRule: 'At least 40\u00a0px.',
    background: 'Background',
    backgroundRule: 'A background that contrasts with the button.',
    variants: 'Variants',
    variantsRule: 'The light button, which is recommended, or the dark one. No others.',
    values: 'Values',
    valuesNote: 'Fixed: the stylesheet above contains them all.',
    address: 'Where it leads',
    addressExample: 'Example URL',
    addressNote: 'The link opens the sign-in page. The spaces between scopes are written as plus signs (+).',
    parameters: {
      client_id: 'The Client ID of your application.',
      redirect_uri: 'One of its callback URLs, matching every character.',
      response_type: 'Always “code”.',
      scope: 'What you want to read, separated by spaces.',
      state:
        'A random value, new for each sign-in and kept in the session. Refuse a response that does not carry the same one: it does not come from the sign-in that this browser started.',
      code_challenge:
        'With PKCE, recommended everywhere and required without a server: the SHA-256 digest of the verifier in base64url, with code_challenge_method set to S256.',
    },
    addressLibrary:
      'If a library handles the sign-in, the button leads to the address in your application that starts it, and the library builds this URL.',
  },

  page: {
    title: (application) => `Integrate ${application}`,
    languages: 'Programming language',
    libraries: 'Library',
    terminal: 'Terminal',
    run: 'Start',
    envSecret: (ending) =>
      ending === undefined ? 'the Client Secret' : `the Client Secret that ends in ${ending}`,
    envRandom: 'a random text: openssl rand -hex 16',
    envNote: 'Keep `.env` out of the repository. The code reads everything in it.',
    facts: 'What your code needs to know',
    secret: 'Client Secret',
    secretConfidential:
      'Shown only when it was created. Give it to your server in the environment variable `CLIENT_SECRET`, never in the code or its repository.',
    secretPublic: 'None: a page or a mobile application cannot keep one. PKCE takes its place.',
    issuer: 'Issuer',
    discovery: 'Discovery',
    callbackUrl: 'Callback URL',
    scopes: 'Scopes',
    claims: 'userinfo returns',
    claimsNone: 'nothing: `403 insufficient_scope`, because the scope `profile` is missing',

    withoutProfile:
      'This application does not have the scope `profile`: `userinfo` will answer `403 insufficient_scope`, and libraries that read the profile will stop there. Add `profile`, or switch to standard mode, where `openid` is enough.',
    withoutScopes: (missing) =>
      `This library needs the scope \`${missing}\`, which the application does not have.`,
    callbackMissing: (callback) =>
      `None of your callback URLs fits this library. The example is filled in with ${callback}: register it, or another of the same form.`,
    edit: 'Edit application',

    buttonTitle: 'The button',
    buttonRules: 'Rules for the button',
    replaceState:
      'Replace `STATE` with a random value, new for each sign-in. If a library handles the sign-in, use the address in your application that starts it instead, such as `/login`.',

    groups: {
      node: 'Node',
      python: 'Python',
      go: 'Go',
      java: 'Java',
      php: 'PHP',
      dotnet: '.NET',
      ruby: 'Ruby',
      front: 'In front of an application',
      bare: 'Without a library',
    },
    snippets: {
      'openid-client': {
        title: 'openid-client 6 (Node)',
        about: 'A small complete server, with PKCE, `state` and `nonce`.',
      },
      'auth-js': {
        title: 'Auth.js v5 (NextAuth)',
        about: 'For Next.js, SvelteKit and Express. Without `checks`, it sends no `state`.',
      },
      'passport-oauth2': {
        title: 'Passport, with passport-oauth2',
        about: 'The `state` option needs a session (express-session).',
      },
      'passport-openidconnect': {
        title: 'Passport, with passport-openidconnect',
        about: 'With `id_token`, `state` and `nonce`, but without PKCE.',
      },
      spring: {
        title: 'Spring Security',
        about: 'It returns to an address in `/login/oauth2/code/`.',
      },
      'mod-auth-openidc': {
        title: 'Apache, with mod_auth_openidc',
        about: 'The callback URL has to be under the protected path and serve no content.',
      },
      'oauth2-proxy': {
        title: 'oauth2-proxy',
        about: 'Verified email addresses only. `--cookie-refresh` needs a grace period of 10 s.',
      },
      authlib: {
        title: 'Authlib, with Flask',
        about: 'A small complete server, with PKCE, `state` and `nonce`.',
      },
      django: {
        title: 'Django, with mozilla-django-oidc',
        about: 'Three pieces for your project. People are found by `sub`, not by email.',
      },
      'go-oidc': {
        title: 'golang.org/x/oauth2, with go-oidc',
        about: 'A small complete server, with PKCE, `state` and `nonce`.',
      },
      league: {
        title: 'league/oauth2-client',
        about: 'One file, with PKCE and `state`. It needs no `id_token`.',
      },
      aspnet: {
        title: 'ASP.NET Core',
        about: 'The whole `Program.cs` of a small application.',
      },
      omniauth: {
        title: 'OmniAuth, with omniauth_openid_connect',
        about: 'For Rails. For the picture, switch this application to standard mode.',
      },
      browser: {
        title: 'In the page, without a server',
        about: 'A module without dependencies, with PKCE. Keep tokens in memory only.',
      },
      http: {
        title: 'HTTP, step by step (curl)',
        about: 'Every request from sign-in to revocation, to try in a terminal.',
      },
    },
  },
};
