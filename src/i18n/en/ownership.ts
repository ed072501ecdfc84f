// The English texts of what owners do with both applications and APIs: transferring and deleting them.
import type { Messages } from '../fr.ts';

export const ownership: Messages['ownership'] = {
  transfer: {
    further: 'Transfer or delete',
    toAnother: 'Transfer to another account',
    state: 'Transfer',
    offered: (email) => `Offered to ${email}. Nothing changes until that person accepts.`,
    cancelled: 'The offer has been cancelled.',
    title: (name) => `Transfer ${name}`,
    lead: {
      application:
        'The application moves to another account on this service, along with its users’ permissions. As soon as the other person accepts, your secrets and keys stop working. Nothing changes before they accept, which they do from their list of applications.',
      api: 'The API moves to another account on this service, along with its scopes and what people have allowed. As soon as the other person accepts, your secrets and keys stop working. Nothing changes before they accept, which they do from their list of APIs.',
    },
    email: 'Email address of the other account',
    emailHint: 'We do not say whether an account uses this address. The offer is valid for seven days.',
    own: 'This is your own address.',
    action: { application: 'Offer the application', api: 'Offer the API' },
    pending: 'Current offer',
    pendingTo: 'Offered to',
    until: 'Valid until',
    replace: 'Offering it to someone else replaces this offer.',
    cancel: 'Cancel the offer',
    received: 'Transfers offered to you',
    from: 'Offered by',
    see: 'See the offer',
    seeOf: {
      application: (name) => `for the application ${name}`,
      api: (name) => `for the API ${name}`,
    },
    acceptTitle: (name) => `Accept ${name}?`,
    urls: { application: 'Callback URLs', api: 'API identifier' },
    stays: {
      application:
        'You’ll own it, and the person offering it will lose access to it. Its settings and callback URLs stay: check them. Its users stay signed in, unless it is a browser or mobile application.',
      api: 'You’ll own it, and the person offering it will lose access to it. Its identifier, its scopes, what people have allowed and the access granted to applications stay: check them.',
    },
    ends: {
      application:
        'As soon as you accept, the previous owner’s secrets and keys, the URL notified of sign-outs and the access to APIs on its own behalf are removed. Create a secret right away: without one, nobody can sign in to an application with a server.',
      api: 'As soon as you accept, the previous owner’s secrets and keys are removed. If the API asks us about tokens, create a secret or register your key right away.',
    },
    accept: { application: 'Accept application', api: 'Accept API' },
    decline: 'Decline',
    declineWhat: {
      application: (name) => `the application ${name}`,
      api: (name) => `the API ${name}`,
    },
    declined: {
      application: 'You have declined this application. Its owner keeps it.',
      api: 'You have declined this API. Its owner keeps it.',
    },
    gone: 'This offer is no longer valid.',
  },

  remove: {
    title: (name) => `Delete ${name}?`,
    people: (count) => {
      if (count === 0) return 'Nobody is signed in to this application.';
      return count === 1
        ? 'One person is signed in to this application.'
        : `${count} people are signed in to this application.`;
    },
    text: {
      application:
        'All the application’s access, codes and tokens will be revoked immediately, and its Client ID will never be used again. This cannot be undone.',
      api: 'No more tokens will be issued for this API. Its secrets, its scopes and what people allowed will be deleted immediately; an API that checks tokens by itself accepts them until they expire. This cannot be undone.',
    },
    name: { application: 'Application name', api: 'API name' },
    nameHint: (name) => `To confirm, enter: ${name}`,
    nameDiffers: {
      application: 'That is not the name of the application.',
      api: 'That is not the name of the API.',
    },
    action: 'Delete permanently',
    cancel: { application: 'Keep application', api: 'Keep API' },
    done: {
      application: 'The application has been deleted. Nobody can sign in to it any more.',
      api: 'The API has been deleted.',
    },
  },
};
