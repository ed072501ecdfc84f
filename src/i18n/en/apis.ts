// Owns the English texts of: APIs.
import type { Messages } from '../fr.ts';

const lasting = (seconds: number): string => {
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
      'An API registered here receives access tokens: applications, and agents if you like, obtain them with each person’s permission.',
    register: 'Register an API',
    empty: 'You have no APIs yet.',
    emptyAdvice: 'An API is a service that programs call on a person’s behalf: an MCP server, say.',
    full: (limit) =>
      `You have reached the limit of ${limit} APIs per account. To register another one, delete one or ask the people who run this service.`,
    noScopes: 'none',
    moreScopes: (count) => (count === 1 ? 'and one more' : `and ${count} more`),
  },
  admits: {
    own: 'your applications',
    applications: 'all applications',
    agents: 'applications and agents',
  },
  admitsChoices: {
    own: {
      label: 'Your own applications only',
      hint: 'Only the applications of your account can ask for tokens for this API.',
    },
    applications: {
      label: 'All registered applications',
      hint: 'The applications of other accounts on this service too: everyone decides what to allow them.',
    },
    agents: {
      label: 'Agents too',
      hint: 'Even an application that nobody registered here, such as an assistant, can ask for the scopes that you open to agents.',
    },
  },

  confirmHint:
    'You signed in more than 15 minutes ago. The password is needed only if this opens the API further.',

  form: {
    name: 'API name',
    nameHint: 'Everyone sees it when an application asks for their permission.',
    identifier: 'API identifier',
    identifierHint:
      'The URL at which programs call your API, such as https://api.example.com/mcp. It is in every token (aud). It cannot be changed later.',
    wordsFr: 'Description, in French',
    wordsEn: 'Description, in English',
    wordsHint: 'A few words, up to 200 characters.',
    admits: 'Who can ask for tokens?',
    lifetime: 'Lifetime of access tokens, in seconds',
    lifetimeHint: 'The shorter they live, the sooner a revocation counts.',
  },

  detail: {
    apiId: 'Sign-in identifier (api_id)',
    words: 'Description',
    admits: 'Who can ask for tokens',
    lifetime: 'Lifetime of tokens',
    lasting,
    noScopes: 'none: access is to the whole API',
    delete: 'Delete API',
    done: {
      offered:
        'The offer is saved. If an account uses this address, its owner will see it among their APIs; if the address is verified, an email tells them.',
      accepted: 'This API is now yours. Create a secret of your own, and register your keys.',
      created: 'The API is registered. Now add what applications can ask of it.',
    },
    suspended: 'Suspended: its tokens do not count. Contact the people who run this service.',
  },

  tasks: {
    noCredentials:
      'Your API has to check every token that it receives. It does so by itself, or asks us with a secret: the code is ready to copy.',
    protect: 'Protect the API',
  },

  edit: {
    title: (name) => `Edit ${name}`,
    fixed: 'The identifier cannot be changed: it is in every token.',
  },

  secrets: {
    lead: 'Your API needs one if it asks us about the tokens that it receives (/oauth/introspect): it then learns at once that a token was revoked. If it checks them by itself, with our published keys, it needs none. A secret is shown only once, when it is created. We then keep a fingerprint and its last four characters.',
    none: 'No secret is active. Create one below if your API asks us about tokens, or register its public key.',
    endText: 'Any request from the API that uses it will be refused immediately.',
    endLast: 'No other secret lasts: the API can no longer ask us about tokens this way.',
  },
  created: {
    once: 'Copy the secret now: you will not be able to see it later.',
    identifier: 'Sign-in identifier (api_id)',
    secret: 'Secret',
  },

  keys: {
    tile: 'Public keys',
    title: (name) => `Public keys for ${name}`,
    lead: 'Your API can ask us about tokens without a secret, by signing with its private key (private_key_jwt). Paste the matching public key here.',
    label: 'JWK Set',
    hint: 'In JSON, up to 5 keys: RS256, PS256, ES256 or EdDSA. Leave it empty to keep none.',
  },

  scopes: {
    title: (name) => `Scopes for ${name}`,
    lead: 'What applications can ask of this API. Everyone reads these words, in this order, before they allow it.',
    none: 'This API has no scopes.',
    noneAdvice: 'It needs none: people then allow access to the whole API.',
    add: 'Add a scope',
    remove: 'Remove',
    sensitiveTag: 'sensitive',
    agentsTag: 'open to agents',
    editTitle: (scope) => `Edit the scope “${scope}”`,
    fixed: 'The name cannot be changed: programs ask for it.',
    name: 'Scope name',
    nameHint: 'Such as notes.read. Up to 64 characters, without spaces, quotes or backslashes.',
    wordsFr: 'What it allows, in French',
    wordsEn: 'What it allows, in English',
    wordsHint: 'People read these words before they allow it. For example: Lire vos notes.',
    wordsHintEn: 'People read these words before they allow it. For example: Read your notes.',
    traits: 'Precautions',
    sensitive: {
      label: 'Sensitive',
      hint: 'Asked for apart and every time, never ticked beforehand: deleting, paying, publishing.',
    },
    agents: {
      label: 'Agents can ask for it',
      hints: {
        own: 'Only counts if the API is open to agents, which it is not.',
        applications: 'Only counts if the API is open to agents, which it is not.',
        agents: 'An agent is an application that nobody registered here.',
      },
    },
    removeTitle: (scope) => `Remove the scope “${scope}”?`,
    removeText:
      'No application will be able to ask for it any more. Those that obtained it lose it at their next renewal, and immediately wherever your API asks us about a token.',
    removeAction: 'Remove scope',
    done: {
      added: 'The scope has been added.',
      changed: 'The scope has been changed.',
      removed: 'The scope has been removed.',
    },
  },

  faults: {
    scopeMissing: 'Enter a name for the scope.',
    scopeTooLong: 'The name of a scope must be 64 characters or fewer.',
    scopeCharacters: 'The name contains no spaces, quotes, backslashes or non-ASCII characters.',
    scopeReserved: 'This is the name of a scope of this service. Choose another one.',
    scopeExists: 'This API already has a scope of this name.',
    tooManyScopes: 'An API has at most 40 scopes.',
    nameMissing: 'Enter a name for the API.',
    nameTooLong: 'The name must be 100 characters or fewer.',
    wordsFrMissing: 'Enter the text in French.',
    wordsEnMissing: 'Enter the text in English.',
    wordsFrTooLong: 'The text in French must be 200 characters or fewer.',
    wordsEnTooLong: 'The text in English must be 200 characters or fewer.',
    admitsMissing: 'Choose who can ask for tokens.',
    lifetimeOutOfRange: 'Enter a whole number from 60 to 86400.',
    identifierMissing: 'Enter the API identifier.',
    identifierTooLong: 'The identifier must be 500 characters or fewer.',
    identifierCharacters: 'The identifier contains a space, a control character or a non-ASCII character.',
    identifierFragment: 'The identifier contains a fragment (#). Remove it.',
    identifierQuery: 'The identifier contains parameters (?). Remove them.',
    identifierNotAbsolute: 'The identifier must be a full URL, such as https://api.example.com/mcp.',
    identifierUserInfo: 'The identifier contains a username or a password. Remove them.',
    identifierNotHttps: 'It must start with https:// (http://localhost only in development mode).',
    identifierOurs: 'This URL is that of this service itself. Enter the one of your API.',
    identifierSpelling: 'Programs write this URL differently. Enter it like this:',
    identifierTaken:
      'This identifier is already registered on this service. If this URL is yours, contact the people who run this service.',
  },
};
