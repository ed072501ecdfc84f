// English: transfer and deletion of applications and APIs.
import type { Messages } from '../fr.ts';

export const ownership: Messages['ownership'] = {
  transfer: {
    toAnother: 'Transfer to another account',
    state: 'Transfer',
    offered: (email) => `Offered to ${email}. Nothing changes until that person accepts.`,
    canceled: 'The offer has been canceled.',
    title: (name) => `Transfer ${name}`,
    lead: 'The transfer takes effect when the other person accepts it. Your secrets and keys then stop working.',
    email: 'Email address of the other account',
    emailHint:
      'For privacy, we do not show whether an account uses this address. The offer is valid for seven days.',
    own: 'This is your own address.',
    action: 'Make the offer',
    pending: 'Current offer',
    pendingTo: 'Offered to',
    until: 'Valid until',
    replace: 'A new offer replaces this one.',
    cancel: 'Cancel the offer',
    received: 'Transfers offered to you',
    from: 'Offered by',
    see: 'See the offer',
    acceptTitle: (name) => `Accept the transfer of ${name}?`,
    urls: { application: 'Callback URLs', api: 'API identifier' },
    stays: 'What stays',
    staying: {
      application: ['Settings', 'Callback URLs', 'Users'],
      api: ['Identifier', 'Scopes', 'Permissions given by users'],
    },
    isPublic:
      'It has no secret: anyone who controls one of its callback URLs can obtain tokens for its users.',
    changed: 'Its callback URLs have changed in the meantime. Check them again.',
    ends: 'What ends',
    ending: {
      application: [
        'The previous owner’s secrets and keys',
        'Sign-out URLs and the back-channel logout URL',
        'Access to APIs on its own behalf',
      ],
      api: ['The previous owner’s secrets and keys', 'Access of the previous owner’s applications'],
    },
    afterwards: {
      application: 'Then create a secret: without one, the application cannot get tokens.',
      api: 'If the API introspects tokens, create a secret or register your key after the transfer.',
    },
    accept: 'Accept',
    decline: 'Decline',
    declined: 'You have declined the offer. Nothing changes for its owner.',
    notFound: 'This offer is no longer valid.',
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
        'The application’s access, codes and tokens are revoked immediately. This cannot be undone.',
      api: 'No more tokens are issued. The API’s secrets and scopes are deleted. If it verifies tokens locally, it accepts existing ones until they expire. This cannot be undone.',
    },
    name: 'Name',
    nameHint: (name) => `To confirm, enter: ${name}`,
    nameDiffers: 'The name does not match.',
    action: 'Delete permanently',
    cancel: 'Cancel',
    done: { application: 'The application has been deleted.', api: 'The API has been deleted.' },
  },
};
