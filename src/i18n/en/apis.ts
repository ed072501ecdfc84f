// English: console pages about APIs.
import type { Messages } from '../fr.ts';

const formatLifetime = (seconds: number): string => {
  const [size, one, many] =
    seconds % 3600 === 0
      ? [3600, 'hour', 'hours']
      : seconds % 60 === 0
        ? [60, 'minute', 'minutes']
        : [1, 'second', 'seconds'];
  const count = seconds / size;
  return `${count} ${count === 1 ? one : many}`;
};

export const apis: Messages['apis'] = {
  list: {
    title: 'Your APIs',
    lead: () =>
      'Register an API to protect it with access tokens. Applications get tokens with each person’s permission. You can also allow agents.',
    register: 'Register an API',
    empty: 'You have no APIs yet.',
    emptyAdvice: 'An API is a service that programs call on a person’s behalf, such as an MCP server.',
    full: (limit) =>
      `You have reached the limit of ${limit} APIs per account. To register another one, delete one or contact your administrator.`,
    none: 'none',
    more: (count) => (count === 1 ? 'and one more' : `and ${count} more`),
    api: 'API',
    allowedClients: 'Open to',
  },
  allowedClients: {
    own: 'your applications',
    applications: 'all applications',
    agents: 'applications and agents',
  },
  allowedClientsChoices: {
    own: {
      label: 'Your own applications only',
      hint: 'Only applications in your account can request tokens for this API.',
    },
    applications: {
      label: 'All registered applications',
      hint: 'Applications in other accounts too. Each person decides what to allow.',
    },
    agents: {
      label: 'Agents too',
      hint: 'Unregistered applications too, such as an AI assistant. They can request only the scopes you make available to agents.',
    },
  },

  confirmHint:
    'You signed in more than 15 minutes ago. Your password is needed only if you give more applications access to the API.',

  form: {
    name: 'API name',
    nameHint: 'Shown on the consent page.',
    identifier: 'API identifier',
    identifierHint:
      'The URL of your API, such as https://api.example.com/mcp. Every token contains it in aud. It cannot be changed later.',
    description: 'Description',
    descriptionHint: 'Shown on the consent page. One language is enough.',
    inLanguage: { fr: 'In French', en: 'In English' },
    allowedClients: 'Who can request tokens?',
    lifetime: 'Access token lifetime, in seconds',
    lifetimeHint: 'With a shorter lifetime, revocation takes effect sooner.',
  },

  detail: {
    apiId: 'API ID (api_id)',
    description: 'Description',
    allowedClients: 'Who can request tokens',
    lifetime: 'Token lifetime',
    lasting: formatLifetime,
    delete: 'Delete API',
    done: {
      offered:
        'Your offer has been saved. If an account uses this address, the offer appears among its APIs. If the address is verified, we also send an email.',
      accepted: 'This API is now yours. Create a new secret and register your own keys.',
      created: 'The API is registered.',
    },
    suspended: 'Suspended: its tokens are inactive. Contact your administrator.',
  },

  tasks: {
    noCredentials:
      'Your API must verify every token it receives, either locally or by introspection with a secret. The code is ready to copy.',
    protect: 'Protect the API',
    noScopes: 'No scopes yet.',
    unused: 'No application has access yet.',
    requests: (count) =>
      count === 1 ? 'One access request is waiting.' : `${count} access requests are waiting.`,
    review: 'Review',
  },

  edit: {
    title: (name) => `Settings for ${name}`,
    fixed: 'The identifier cannot be changed, because every token contains it.',
  },

  secrets: {
    lead: 'For introspection (/oauth/introspect), which detects revoked tokens immediately. Local verification needs no secret.',
    empty: 'No active secret.',
    none: 'To introspect tokens, create a secret below or register a public key.',
    endText: 'Requests from the API that use this secret will be refused immediately.',
    endLast: 'No other secret remains active: the API can no longer introspect tokens with a secret.',
  },
  created: {
    once: 'Copy the secret now: you will not be able to see it later.',
    identifier: 'API ID (api_id)',
    secret: 'Secret',
  },

  keys: {
    tile: 'Public keys',
    title: (name) => `Public keys for ${name}`,
    lead: 'Instead of a secret, your API can authenticate introspection requests with its private key (private_key_jwt). Paste the matching public key here.',
    label: 'JWK Set',
    hint: 'JSON, up to 5 keys: RS256, PS256, ES256 or EdDSA. Leave empty to remove all keys.',
  },

  scopes: {
    title: (name) => `Scopes for ${name}`,
    lead: 'What applications can request from this API. The consent page shows the descriptions in this order.',
    none: 'This API has no scopes.',
    noneAdvice: 'Scopes are optional. Without them, people give access to the whole API.',
    add: 'Add a scope',
    remove: 'Remove',
    sensitiveTag: 'sensitive',
    agentsTag: 'available to agents',
    agentsLater: 'available to agents once the API allows them',
    editTitle: (scope) => `Edit the scope “${scope}”`,
    fixed: 'The name cannot be changed, because applications use it to request the scope.',
    name: 'Scope name',
    nameHint: 'Such as notes.read. Up to 64 characters, without spaces, quotes or backslashes.',
    description: 'What it allows',
    descriptionHint: 'Shown on the consent page, such as “Read your notes”. One language is enough.',
    traits: 'Options',
    sensitive: {
      label: 'Sensitive',
      hint: 'For actions such as deleting, paying or publishing. Shown separately, confirmed every time and never preselected.',
    },
    agents: {
      label: 'Available to agents',
      hint: 'An agent is an application that is not registered here.',
      closed: 'This API does not allow agents.',
      open: 'Allow agents',
    },
    removeTitle: (scope) => `Remove the scope “${scope}”?`,
    removeText:
      'Applications can no longer request it. Those that have it lose it at their next token refresh, or immediately if your API introspects tokens.',
    removeAction: 'Remove scope',
    done: {
      added: 'The scope has been added.',
      changed: 'The scope has been changed.',
      removed: 'The scope has been removed.',
    },
  },

  errors: {
    scopeMissing: 'Enter a name for the scope.',
    scopeTooLong: 'The name of a scope must be 64 characters or fewer.',
    scopeCharacters: 'The name must not contain spaces, quotes, backslashes or non-ASCII characters.',
    scopeReserved: 'This name is reserved for a scope of this service. Choose another one.',
    scopeExists: 'This API already has a scope with this name.',
    tooManyScopes: 'An API can have at most 40 scopes.',
    nameMissing: 'Enter a name for the API.',
    nameTooLong: 'The name must be 100 characters or fewer.',
    descriptionMissing: 'Enter the description in French or English.',
    descriptionFrTooLong: 'The French description must be 200 characters or fewer.',
    descriptionEnTooLong: 'The English description must be 200 characters or fewer.',
    allowedClientsMissing: 'Choose who can request tokens.',
    lifetimeOutOfRange: 'Enter a whole number from 60 to 86400.',
    identifierMissing: 'Enter the API identifier.',
    identifierTooLong: 'The identifier must be 500 characters or fewer.',
    identifierCharacters: 'The identifier contains a space, a control character or a non-ASCII character.',
    identifierFragment: 'The identifier contains a fragment (#). Remove it.',
    identifierQuery: 'The identifier contains parameters (?). Remove them.',
    identifierNotAbsolute: 'The identifier must be a full URL, such as https://api.example.com/mcp.',
    identifierUserInfo: 'The identifier contains a username or a password. Remove them.',
    identifierNotHttps: 'It must start with https:// (http://localhost only in development mode).',
    identifierReserved: 'This is the URL of this service. Enter the URL of your API.',
    identifierNotCanonical: 'This URL is not in its normalized form. Enter:',
    identifierTaken:
      'This identifier is already registered on this service. If this URL is yours, contact your administrator.',
  },
};
