// English: administration of the identity providers that users can sign in with.
import type { Messages } from '../fr.ts';

export const identityProviders: Messages['identityProviders'] = {
  lead: (service) => `Users can sign in to ${service} with their account at these providers.`,
  folded: 'The first four have a button on the sign-in page. The others are under “Other services”.',
  empty: 'No providers yet. Users sign in with a password or passkey.',
  add: 'Add a provider',
  full: (maximum) => `You have ${maximum} providers, the maximum.`,
  choose: 'Which provider do you want to add?',
  alreadyAdded: 'Already added. Open it to edit it.',
  addTitle: (preset, name) => (preset === 'oidc' ? 'Add an OpenID Connect provider' : `Add ${name}`),
  submit: 'Add provider',
  edit: 'Edit',
  editTitle: (name) => `Edit ${name}`,
  save: 'Save',
  stale: 'The provider has changed since you opened this page. Compare your entries with its current values.',

  order: 'Order',
  name: 'Name',
  preset: 'Type',
  links: 'Linked accounts',
  signIns: 'Sign-ins, 30 days',
  state: 'Status',
  enabled: 'enabled',
  disabled: 'disabled',
  disabledSince: 'Disabled since',
  added: 'Added on',
  moveUp: 'Move up',
  moveDown: 'Move down',
  secretState: 'Secret',
  privateKey: 'Private key',
  secretStored: 'stored, hidden',
  keyStored: 'stored, hidden',
  secretUnreadable: 'SECRET_KEY does not decrypt it: replace it',
  keyUnreadable: 'SECRET_KEY does not decrypt it: replace it',
  neverVerified: 'not applicable: this provider does not report addresses as verified',
  noDomains: 'none: addresses from this provider must be verified here',
  noAcrs: 'none',
  allTenants: 'all',

  presets: {
    oidc: 'OpenID Connect',
    google: 'Google',
    microsoft: 'Microsoft',
    apple: 'Apple',
    gitlab: 'GitLab',
    proconnect: 'ProConnect',
    github: 'GitHub',
  },
  presetHints: {
    oidc: 'Any other provider, by the URL of its issuer',
    google: 'Personal accounts and Google Workspace',
    microsoft: 'Microsoft Entra work accounts',
    apple: 'Sign in with Apple',
    gitlab: 'GitLab.com or your own server',
    proconnect: 'Public servants and professionals in France',
    github: 'GitHub accounts',
  },
  redirectUri: 'Callback URL',
  setup: {
    oidc: 'At the provider, create a confidential client (web application), and register this callback URL.',
    google:
      'In Google Auth Platform, under “Clients”, create a “Web application” client, and add this URL to its “Authorized redirect URIs”.',
    microsoft:
      'In the Microsoft Entra admin center, register an application with this URL as a redirect URI of the “Web” platform, and create a secret under “Certificates & secrets”.',
    apple:
      'Under “Certificates, Identifiers & Profiles”, create a Services ID, add this URL to the “Return URLs” of “Sign in with Apple”, and create a key for “Sign in with Apple”.',
    gitlab:
      'In GitLab, under “Edit profile > Applications”, create a confidential application with this URL and the scopes openid, profile and email.',
    proconnect:
      'In ProConnect’s partner portal, create an application, and add this URL to its sign-in callback URLs.',
    github:
      'On GitHub, under “Settings > Developer settings > OAuth Apps”, create an application with this URL as its “Authorization callback URL”.',
  },
  openConsole: (preset) => `Open the ${preset} console`,

  fields: {
    name: 'Name',
    nameHint: 'Shown on the button, such as “Continue with Example”.',
    id: 'Identifier',
    idHint:
      'The end of the callback URL, before /callback. If you change it here, also change it in the URL below. It cannot be changed once the provider is added.',
    issuer: 'Issuer URL',
    issuerHint: 'Exactly the value of issuer in the discovery document. It cannot be changed later.',
    tenants: 'Allowed tenants',
    tenantsHint: 'One “Directory (tenant) ID” per line. Empty: all tenants.',
    personalAccounts: 'Personal accounts',
    personalAccountsChoice: 'Also allow personal accounts (Outlook.com, Xbox)',
    personalAccountsHint: 'Only if no tenant is listed.',
    tokenAuth: 'Client authentication',
    tokenAuthAutomatic: 'As the discovery document suggests',
    clientId: 'Client ID',
    clientIdHints: {
      oidc: 'Assigned by the provider.',
      google: 'Ends with “.apps.googleusercontent.com”.',
      microsoft: '“Application (client) ID” on the overview page of the registration.',
      apple: 'The identifier of the Services ID, such as “com.example.signin”.',
      gitlab: '“Application ID” on the application’s page.',
      proconnect: 'Shown in the partner portal.',
      github: '“Client ID” on the application’s page.',
    },
    secret: 'Client Secret',
    secretHint: 'Encrypted in the database. It cannot be shown again.',
    secretReplaceHint: 'Leave this field empty to keep the current secret.',
    microsoftSecretHint: 'The “Value” of the secret, not its ID.',
    appleKey: 'Private key',
    appleKeyHint: 'The content of the .p8 file. Encrypted in the database, and cannot be shown again.',
    appleKeyReplaceHint: 'Leave this field empty to keep the current key.',
    teamId: 'Team ID',
    teamIdHint: 'Ten characters, under “Membership details”.',
    keyId: 'Key ID',
    keyIdHint: 'Ten characters, beside the key under “Keys”.',
    emailDomains: 'Trusted domains',
    emailDomainsHint:
      'One domain per line, such as example.com. If the provider reports an address in these domains as verified, it needs no verification here.',
    mfaAcrs: 'Multi-factor acr values',
    mfaAcrsHint: 'One value per line. A sign-in with one of them counts as acr 2.',
  },

  errors: {
    idInvalid: 'Use at most 40 lowercase letters, digits and hyphens. Do not start with a hyphen.',
    idReserved: 'This identifier is reserved. Choose another one.',
    nameTaken: 'Another provider already has this name. Choose another one.',
    idTaken: 'Another provider already has this identifier. Choose another one.',
    nameMissing: 'Enter the name to show on the button.',
    nameTooLong: 'The name must be at most 100 characters.',
    issuerMissing: 'Enter the issuer URL.',
    issuerInvalid: 'Enter a complete URL, such as https://login.example.com.',
    issuerNotHttps: 'The issuer URL must start with https://.',
    issuerNotLoopback:
      'The issuer URL must start with https://. In development, http:// is accepted only for localhost and 127.0.0.1.',
    issuerHasQuery: 'Remove “?” or “#” and everything after it from the URL.',
    issuerIsDocument:
      'This is the URL of the discovery document. Remove “/.well-known/…”, and keep the value of issuer.',
    issuerIsThisService: 'This is the URL of this service. Enter the URL of another provider.',
    issuerTaken: 'Another provider already has this issuer. Edit it instead of adding a second one.',
    clientIdMissing: 'Enter the Client ID that the provider assigned to this service.',
    clientIdInvalid: 'A Client ID contains no spaces or accented letters. Copy it again.',
    secretMissing: 'Enter the secret that the provider assigned to this service.',
    secretInvalid: 'A secret is a single line without accented letters. Copy it again.',
    secretIsId:
      'This is the ID of the secret. Copy the “Value” column, which is shown only when the secret is created.',
    appleKeyInvalid:
      'This is not a private key from Apple. Paste the whole .p8 file, from “BEGIN PRIVATE KEY” to “END PRIVATE KEY”.',
    teamIdInvalid: 'A Team ID has ten uppercase letters or digits.',
    keyIdInvalid: 'A Key ID has ten uppercase letters or digits.',
    tooManyEntries: 'Enter at most 50 lines.',
    tenantInvalid: 'Enter the ID of the tenant (a UUID), not its domain name.',
    emailDomainInvalid: 'Enter a complete domain name without “*”, such as example.com.',
    mfaAcrInvalid: 'An acr value contains no spaces.',
  },
  entryError: (entry, error) => `“${entry}”: ${error}`,
  tooMany: (maximum) => `There are already ${maximum} providers. Remove one before you add another one.`,

  disable: 'Disable',
  disableText:
    'Nobody will be able to sign in with this provider. Sign-ins in progress are refused. Accounts stay linked, and you can enable the provider again.',
  enable: 'Enable',
  enableText: 'Users whose account is linked will be able to sign in with this provider again.',
  remove: 'Remove provider',
  removeText: (count) =>
    count === 0
      ? 'The provider and its settings are deleted. No account is linked to it.'
      : `The provider and its settings are deleted, and ${
          count === 1 ? 'one linked account is' : `${count} linked accounts are`
        } unlinked. Adding the provider again does not restore the links.`,
  dependent: (count) =>
    count === 1
      ? 'One account has no other way to sign in. Its owner must choose a password under “Forgot your password?”.'
      : `${count} accounts have no other way to sign in. Their owners must choose a password under “Forgot your password?”.`,
  typeId: 'Provider’s identifier, to confirm',
  idDiffers: 'This is not the identifier of the provider to remove.',
  linksDiffer: (count) =>
    `The number of linked accounts has changed to ${count}. Check it, and confirm again.`,

  test: {
    action: 'Test',
    title: (name) => `Test ${name}`,
    lead: 'The test reads the provider’s configuration, checks the Client ID and the secret, and asks you to sign in. It links no account and keeps no token.',
    start: 'Start the test',
    again: 'Start again',
    back: 'Back to the provider',
    tooMany: 'You have reached the limit of ten tests per hour. Try again in a few minutes.',
    expired: 'This result is no longer available. Start the test again.',
    result: 'Result',
    done: 'Everything works: the provider recognized you.',
    failedAt: (step) => `The test failed at “${step}”.`,
    signInNeeded: (name) =>
      `All automatic checks passed. Now sign in to ${name} with your own account to check the rest.`,
    signIn: (name) => `Sign in to ${name}`,
    states: { passed: 'passed', failed: 'failed', ahead: 'not run yet', skipped: 'skipped' },
    seen: 'Received',
    issuerFixed: 'The issuer URL cannot be changed. To correct it, remove this provider, and add it again.',
    removeProvider: 'Remove this provider',
    remedy: 'What to do',
    steps: {
      document: 'The discovery document can be read',
      issuer: 'The document names this issuer',
      endpoints: 'The document contains the endpoints',
      algorithms: 'A signature algorithm is accepted',
      keys: 'The signing keys can be read',
      credentials: 'The Client ID and the secret are accepted',
      response: 'The provider accepts the sign-in request',
      token: 'The code is exchanged for tokens',
      id_token: 'The id_token is authentic',
      profile: 'The profile can be read',
    },
    remedies: {
      'not-https':
        'The URL must start with `https://`. Correct the issuer, or the configuration of the provider.',
      'not-public':
        'This domain name does not exist, or has no public IP address. Check the issuer URL and its DNS records.',
      refused:
        'Connection refused. Check that the provider’s server is running, then the port and the firewall.',
      timeout:
        'The provider took more than three seconds to respond. Try again. If this persists, contact the provider.',
      'too-large': 'The response exceeds 64 kB. Check that this is the provider’s issuer URL.',
      encoded:
        'The response is compressed, although the request did not ask for it. Turn off compression for this URL.',
      failed:
        'The connection failed. Check that the provider’s certificate is valid for this domain name and signed by a known authority, then check its logs.',
      notTls:
        'The server does not respond over HTTPS on this port, so it is probably an HTTP server. Check the port, or enable TLS on this server or on the proxy in front of it.',
      redirect:
        'Redirects are not followed. Add the provider with the final URL of the issuer, with or without a trailing slash.',
      not200:
        'The expected document is not there. Check the issuer URL: the discovery document is at this URL followed by `/.well-known/openid-configuration`.',
      notJson: 'The response is not JSON. It may be a web page. Check the issuer URL.',
      otherIssuer:
        'The document names another issuer. Remove this provider, and add it again with the issuer received.',
      endpointMissing: 'The provider must publish these values. Check that it supports OpenID Connect.',
      endpointInvalid:
        'This value must be a complete `https://` URL. Correct the configuration of the provider.',
      noAlgorithm:
        'At the provider, select RS256, ES256 or EdDSA signatures for this client. HS256 signatures are not accepted.',
      documentInvalid: 'The discovery document is invalid. Check the configuration of the provider.',
      noKeys:
        'The key document (`jwks_uri`) contains no usable key. At the provider, publish an RS256, ES256 or EdDSA key.',
      secretUnreadable:
        '`SECRET_KEY` has changed since the secret was stored. Edit the provider, and enter the secret again.',
      clientRefused:
        'The provider refuses the Client ID or the secret. Copy them again. For Apple, also check the Team ID, the Key ID and the key.',
      redirectUriRefused:
        'Register the callback URL from the previous page with the provider, exactly as shown.',
      tokenUnexpected:
        'The token endpoint gave an unexpected response. Check the type of client at the provider: confidential web application, authorization code flow.',
      canceled: 'You canceled the sign-in at the provider. Start again, and accept the request.',
      responseRefused:
        'The provider refused the sign-in request. Check the callback URL and the allowed scopes at the provider.',
      responseInvalid:
        'The response is invalid, or is not from this provider. Start again. If this persists, check the issuer.',
      codeRefused:
        'The provider rejected the code that it had issued. Start again without delay, in a single window.',
      clock:
        'The dates in the id_token are implausible. Synchronize the clocks of this server and the provider.',
      tenantRefused:
        'Your account belongs to a tenant that this provider does not allow. Add the tenant, or use another account.',
      idTokenInvalid:
        'The id_token is not as expected. Check the Client ID, the signature algorithm and the issuer at the provider.',
      profileInvalid:
        'The profile could not be read. Check the scopes that the provider grants to this client.',
    },
    received: 'Information received',
    issuer: 'Issuer',
    subject: 'Identifier (sub)',
    verification: 'Verification',
    emailVerified:
      'Accepted without verification here: the provider reports it as verified, and you trust its domain.',
    emailUnverified: 'Must be verified here: the provider does not guarantee that it belongs to the user.',
    domainUntrusted: 'Must be verified here: its domain is not a trusted domain.',
    picture: 'Picture',
    absent: 'not provided',
    multiFactor: 'counts as multi-factor (acr 2)',
    oneFactor: 'counts as a single factor (acr 1)',
  },

  testNow: 'Test it now',
  done: {
    add: 'Provider added. It now appears on the sign-in page.',
    edit: 'Changes saved',
    disable: 'Provider disabled',
    enable: 'Provider enabled',
    remove: 'Provider removed',
    move: 'Order changed',
  },
};
