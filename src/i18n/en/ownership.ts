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
      application: 'Its settings, callback URLs and users stay: check them.',
      api: 'Its identifier, its scopes and what people have allowed stay: check them.',
    },
    isPublic:
      'It has no secret: anyone who controls one of its callback URLs can obtain tokens for its users.',
    changed: 'Its callback URLs have changed in the meantime. Check them again.',
    ends: {
      application:
        'As soon as you accept, the previous owner’s secrets and keys, its sign-out URLs, the URL notified of sign-outs and the access to APIs on its own behalf are removed. Create a secret right away: without one, nobody can sign in to an application with a server.',
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
      application: 'Its access, codes and tokens end immediately. This cannot be undone.',
      api: 'No more tokens are issued; its secrets and scopes are deleted. If it checks tokens by itself, it accepts existing ones until they expire. This cannot be undone.',
    },
    name: 'Name',
    nameHint: (name) => `To confirm, enter: ${name}`,
    nameDiffers: 'The name does not match.',
    action: 'Delete permanently',
    cancel: 'Cancel',
    done: 'It has been deleted.',
  },
};
