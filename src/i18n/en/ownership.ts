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
    lead: 'It changes hands as soon as the other person accepts, from their own list: your secrets and keys then stop working. Until then nothing changes.',
    email: 'Email address of the other account',
    emailHint: 'We do not say whether an account uses this address. The offer is valid for seven days.',
    own: 'This is your own address.',
    action: 'Make the offer',
    pending: 'Current offer',
    pendingTo: 'Offered to',
    until: 'Valid until',
    replace: 'Offering it to someone else replaces this offer.',
    cancel: 'Cancel the offer',
    received: 'Transfers offered to you',
    from: 'Offered by',
    see: 'See the offer',
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
      api: 'As soon as you accept, the previous owner’s secrets and keys are removed, and the access of their own applications. If the API asks us about tokens, create a secret or register your key right away.',
    },
    accept: 'Accept',
    decline: 'Decline',
    declined: 'You have declined the offer. Nothing changes for its owner.',
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
    name: 'Name',
    nameHint: (name) => `To confirm, enter: ${name}`,
    nameDiffers: 'That is not its name.',
    action: 'Delete permanently',
    cancel: 'Cancel',
    done: 'Deleted.',
  },
};
