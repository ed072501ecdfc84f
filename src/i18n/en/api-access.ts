// Owns the English texts of: who has access to an API, and what was refused over it.
import type { Messages } from '../fr.ts';

export const apiAccess: Messages['apiAccess'] = {
  access: {
    part: 'Access',
    title: (api) => `Access to ${api}`,
    lead: 'The applications and agents that get tokens for your API: people have allowed them to, or you have granted them access on their own behalf.',
    hint: 'Those used most come first.',
    capped: (limit) =>
      `Only ${limit} grants are counted here: an application that has very few may be missing.`,
    none: 'No application has access to this API yet.',
    noneAdvice: 'Those that get a token for it will appear here.',
    applications: 'Applications',
    agents: 'Agents',
    agentsText: 'An agent is an application that nobody registered here: it is known by its address alone.',
    excluded: 'Cut off',
    grants: 'Live grants',
    counted: (grants, people) => `${grants}, from ${people === null ? 'one person' : `${people} people`}`,
    since: 'Since',
    lastAt: 'Latest token',
    settings: 'Your settings',
    notAdmitted: 'do not admit it: its tokens are inactive',
    onItsOwn: 'On its own behalf',
    granted: 'granted',
    excludedOn: 'Cut off on',
    cut: 'Cut off',
    readmit: 'Let in again',
    done: {
      cut: 'Access is now cut off.',
      readmit: 'Access is restored: new tokens for this API can be asked for.',
    },
  },
  cut: {
    title: (name) => `Cut off ${name}?`,
    text: (lifetime) => [
      'Its tokens for this API will become inactive at once and cannot be renewed. It will get no others, even if someone allows it.',
      `If your API checks tokens by itself, without asking us, it accepts those that exist until they expire: for ${lifetime} at most.`,
      'Whatever else people have allowed does not change. They are not told.',
    ],
    action: 'Cut off',
  },
  readmit: {
    title: (name) => `Let ${name} in again?`,
    text: () => [
      'It will get new tokens for this API, if your settings admit it.',
      'Its old tokens stay inactive: everyone has to give their permission again.',
      'If you had granted it access on its own behalf, that counts again.',
    ],
    action: 'Let in again',
  },
  diagnostics: {
    lead: 'Requests that this service refused: those of your API, and those of applications and agents that wanted tokens for it. No secret or token is kept here.',
    operatorNotice: 'This API belongs to someone else. You see this page as an operator of this service.',
    refusedHint: (quota) =>
      `The API’s latest ${quota} are kept, and the latest ${quota} of each application. Identical requests are grouped.`,
    none: 'Nothing was refused. That is a good sign.',
    noneAdvice: 'The exact reason of a failure appears here within seconds.',
    notFound: (incident) =>
      `No request kept for this API has the code ${incident}. Check it; newer requests may also have replaced it.`,
    fromApi: 'from the API',
    fromHolder: 'with an old secret',
    application: 'Application',
    agent: 'Agent',
    about: {
      resource_closed: {
        what: 'An application that your API does not admit asked for a token for it.',
        next: 'If it should get one, change “Who can ask for tokens?” in the settings of the API.',
      },
      resource_excluded: {
        what: 'An application that you have cut off asked for a token for your API.',
        next: 'If you like, let it in again on the access page. Otherwise there is nothing to do.',
      },
      resource_suspended: {
        what: 'An application asked for a token for your API, which is suspended.',
        next: 'To have the suspension lifted, contact the people who run this service.',
      },
      resource_beyond_grant: {
        what: 'An application asked for a token for your API, to which the person has not given it access.',
        next: 'If the person ticked none of your scopes, there is nothing to do. Otherwise, its developer has to name your API (resource) from the authorization request on.',
      },
      scope_beyond_grant: {
        what: 'An application asked for a scope that the person has not granted it: {scope}',
        next: 'Its developer has to ask for it in another authorization request.',
      },
      service_off: {
        what: 'An application asked on its own behalf for a token that you have not granted it.',
        next: 'It is for its owner to ask you for it: you will then find that among the requests to this API.',
      },
      scope_beyond_service: {
        what: 'An application asked on its own behalf for more than you have granted it: {sent}',
        next: 'If it needs that, it is for its owner to ask you for it.',
      },
      scope_not_of_api: {
        what: 'The request named no scope of your API that the application may get: {sent}',
        next: 'Check that your documentation and the metadata of your API (scopes_supported) name the right scopes and, for an agent, that they are open to agents.',
      },
    },
  },
};
