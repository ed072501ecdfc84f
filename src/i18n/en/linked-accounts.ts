// English: sign-in through identity providers, and linked accounts.
import type { linkedAccounts as reference } from '../fr/linked-accounts.ts';

export const linkedAccounts: typeof reference = {
  continueWith: (provider) => `Continue with ${provider}`,
  otherProviders: 'Other services',
  or: 'or',

  outcomes: {
    providerCanceled: 'You canceled the sign-in with the other service. Nothing has changed.',
    notLinked: 'That account is not linked to your account here. Confirm with the one that is.',
    ownMfaRequired:
      'A linked account is not enough to confirm: use your passkey, or your password and a code.',
  },

  signUp: {
    title: (provider) => `First sign-in with ${provider}`,
    lead: (provider) => `Your ${provider} account is not linked to an account here yet.`,
    as: (provider) => `${provider} account`,
    picture: 'Profile picture',
    usePicture: (provider) => `Use my picture from ${provider}`,
    usePictureHint: 'It is copied once, when the account is created.',
    action: 'Create my account',
    existing: 'I already have an account',
    existingText: (provider) => `Sign in as usual. We’ll then offer to link your ${provider} account to it.`,
    closed: (provider) =>
      `Sign-up is closed. If you already have an account here, sign in to link your ${provider} account to it.`,
    notCreated:
      'We could not create an account with this address. If you already have an account here, sign in.',
    sentTitle: 'Check your email',
    sent: (email) => `We have sent a link to ${email}. Open it in this browser within an hour.`,
    confirmTitle: 'Create your account',
    confirmText: (provider) =>
      `Your email address is confirmed. The new account will be linked to your ${provider} account.`,
    otherBrowserTitle: 'Open this link in the original browser',
    otherBrowserText:
      'The sign-up was started in another browser. Copy the link from the email and open it there. If you did not sign up, close this page: nothing will be created.',
  },

  title: 'Linked accounts',
  none: 'None. You can sign in here with an account from another service.',
  count: (count) => (count === 1 ? '1 account' : `${count} accounts`),
  since: 'Linked on',
  neverUsed: 'never used',
  disabled: 'You can no longer sign in here with this account.',
  add: 'Link an account',
  addTitle: 'Link an account',
  addText: 'You will be able to sign in here with that account, without entering a password.',
  addNone: 'You have linked an account with every available service.',
  linkWith: (provider) => `Link your ${provider} account`,
  linkTitle: (provider) => `Link this ${provider} account?`,
  linkText: 'Anyone who can sign in to it will be able to sign in to your account here.',
  account: 'Your account',
  linkAction: 'Link this account',
  takenTitle: 'This account is already linked',
  taken: (provider) =>
    `This ${provider} account is linked to another account here. Sign in to that account to unlink it first.`,
  removeTitle: (provider) => `Unlink this ${provider} account?`,
  removeText:
    'It will no longer sign you in here, and your other sessions that were started with a linked account will end. The account itself does not change.',
  removeAction: 'Unlink',
  addFirstTitle: 'Add a way to sign in first',
  addFirst: {
    password:
      'Without a password, your account must keep two other ways to sign in: first choose a password.',
    passkey:
      'Without a password, your account must keep two other ways to sign in: first choose a password or create a passkey.',
    codes:
      'Without a password, your account must keep two other ways to sign in: first choose a password or create recovery codes.',
    passkeyAndCodes:
      'Without a password, your account must keep two other ways to sign in: first choose a password, or create a passkey and then recovery codes.',
  },
  confirmWith: (provider) => `Confirm with ${provider}`,
  confirmFirst: 'You signed in more than 15 minutes ago: first confirm that it’s you.',
};
