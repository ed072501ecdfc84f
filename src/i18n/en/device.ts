// Owns the English texts of letting a device in.
import type { device as reference } from '../fr/device.ts';

export const device: typeof reference = {
  title: 'Connect a device',
  lead: 'Your TV, console or app is showing a code, so that you don’t have to type your password there. Enter the code here and the device will be signed in to your account.',
  signInFor: 'to connect a device',
  code: 'Code shown on the device',
  codeHint: 'Eight letters, such as WDJB-MJHT.',
  action: 'Continue',
  advice:
    'Only enter a code from a device in front of you, never one that somebody sends you or reads out to you.',
  unknownCode:
    'No device is waiting with this code. Check it, or get a new one on the device: codes expire after 15 minutes.',
  tooManyTries: 'Too many tries for now. Try again in an hour.',
  decideTitle: (application) => `Connect a device to ${application}?`,
  check: 'Your device should show this code',
  warning: 'If somebody sent you this code or this page, refuse: their device would get in as you.',
  allowedTitle: 'The device is allowed',
  allowed: 'Go back to it: it signs in by itself within seconds. You can close this page.',
  takeBack: 'Changed your mind? Withdraw your agreement under',
  takeBackLink: 'connected applications',
  deniedTitle: 'The device was not allowed',
  denied: 'Nothing was shared. You can close this page.',
  ignore: 'If somebody had sent you this code, don’t answer them: your account is safe.',
  account: 'Go to my account',
  another: 'Connect another device',
};
