// English: passkey prompts and errors.
import type { passkeys as reference } from '../fr/passkeys.ts';

export const passkeys: typeof reference = {
  signIn: 'Sign in with a passkey',
  without: 'Confirm another way',
  use: 'Use a passkey',
  asked: 'You’ll be asked for your passkey.',
  askedInstead: 'Leave this field empty to confirm with a passkey.',
  unnamed: 'Passkey',
  canceled: 'Nothing was done: you canceled, or it took too long. You can try again.',
  known: 'This device already has a passkey for your account.',
  failed: 'Your browser could not use a passkey here.',
  refused: 'This passkey does not belong to an account here. Try another one, or sign in with your password.',
  refusedHere: 'This passkey does not belong to this account. Try another one.',
  behind:
    'This passkey was refused: there may be a copy of it. Sign in another way, then remove it from your account.',
  notMade: 'The passkey was not saved. If your device has stored it, it will not work. Try again.',
  offer: {
    title: 'Sign in here without a password?',
    text: 'With a passkey, your face, your fingerprint or this device’s screen lock will be enough to sign in. Only do this on a device of your own.',
    later: 'Later',
    never: 'Do not offer again',
  },
  useNeedsScript: 'A passkey needs a recent browser with JavaScript turned on.',
  needsScript: 'To create a passkey you need a recent browser with JavaScript turned on.',
  nameWrong: (maximum: number) => `Give this passkey a name of at most ${maximum} characters.`,
};
