// English: an API’s “Access” and “Diagnostics” pages.
import type { Messages } from '../fr.ts';

export const apiAccess: Messages['apiAccess'] = {
  access: {
    part: 'Access',
    users: 'Applications with access',
    title: (api) => `Access to ${api}`,
    lead: 'The applications and agents that can get tokens for your API.',
    hint: 'Most used first. If you block an application’s access, its tokens stop working for this API.',
    capped: (limit) => `Based on ${limit} grants. Applications with few grants may be missing.`,
    none: 'No application has access to this API yet.',
    noneAdvice: 'Applications appear here when they get their first token.',
    applications: 'Applications',
    agents: 'Agents',
    agentsText: 'An agent is an application that is not registered here. Only its URL identifies it.',
    excluded: 'Access blocked',
    grants: 'Active grants',
    counted: (grants, people) => `${grants}, from ${people === null ? 'one person' : `${people} people`}`,
    since: 'Since',
    lastAt: 'Latest token',
    blocked: 'blocked by your settings',
    hasServiceAccess: 'On its own behalf',
    granted: 'granted',
    excludedOn: 'Blocked on',
    block: 'Block access',
    restore: 'Restore access',
    done: {
      block: 'Access has been blocked.',
      restore: 'Access has been restored. The application can request new tokens for this API.',
    },
  },
  block: {
    title: (name) => `Block access for ${name}?`,
    text: (lifetime) => [
      'Its tokens for this API become inactive immediately and cannot be refreshed. It cannot get new ones, even with a user’s permission.',
      `If your API verifies tokens locally, it will keep accepting existing ones until they expire, which can take up to ${lifetime}.`,
      'Other permissions stay as they are. People are not notified.',
    ],
    action: 'Block access',
  },
  restore: {
    title: (name) => `Restore access for ${name}?`,
    text: 'It can get new tokens for this API. Old tokens stay inactive: each user must give permission again.',
    blocked:
      'The API’s settings will still not allow this application to get tokens. To allow it, change this setting:',
    serviceAccess: 'Its access on its own behalf becomes active again.',
    action: 'Restore access',
  },
  diagnostics: {
    adminNotice: 'This API belongs to someone else. You see this page as an administrator.',
    none: 'No refused requests.',
    noneAdvice: 'If a request fails, the exact reason appears here within seconds.',
    notFound: (incident) =>
      `No stored request for this API has the code ${incident}. Check the code. Newer requests may have replaced it.`,
    senders: { api: 'Your API', holder: 'Old secret' },
    fromApi: 'from the API',
    fromHolder: 'with an old secret',
    application: 'Application',
    agent: 'Agent',
    about: {
      resource_not_open_to_client: {
        what: 'An application that your API does not allow requested a token for it.',
        next: 'To allow it, change “Who can request tokens?” in the API’s settings.',
      },
      resource_blocks_client: {
        what: 'An application whose access you blocked requested a token for your API.',
        next: 'You can restore its access.',
      },
      resource_suspended: {
        what: 'An application requested a token for your API, which is suspended.',
        next: 'To have the suspension lifted, contact your administrator.',
      },
      resource_beyond_grant: {
        what: 'An application requested a token for your API, but the user has not given it access.',
        next: 'If the user selected none of your scopes, there is nothing to do. Otherwise, the application’s developer must include your API (resource) in the authorization request.',
      },
      scope_beyond_grant: {
        what: 'An application requested a scope that the user has not granted: {scope}',
        next: 'The application’s developer must request it in a new authorization request.',
      },
      client_credentials_disabled: {
        what: 'An application requested a token on its own behalf, but you have not granted it access.',
        next: 'Its owner must request access. The request then appears on this API’s “Requests” page.',
      },
      scope_beyond_api_grant: {
        what: 'An application requested scopes on its own behalf that you have not granted: {sent}',
        next: 'If it needs them, its owner must request access to them.',
      },
      scope_not_of_api: {
        what: 'None of the requested scopes is available to the application for your API: {sent}',
        next: 'Check the scopes in your documentation and in your API’s metadata (scopes_supported). An agent can get only scopes that are available to agents.',
      },
    },
  },
};
