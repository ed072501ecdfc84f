// English: device authorization pages.
import type { device as reference } from '../fr/device.ts';

export const device: typeof reference = {
  title: 'Connect a device',
  lead: 'Enter the code that your TV, console or program shows. The device will be signed in to your account.',
  signInFor: 'to connect a device',
  code: 'Code shown on the device',
  codeHint: 'Eight letters, such as WDJB-MJHT.',
  action: 'Continue',
  advice:
    'Only enter a code from a device in front of you, never one that someone sends you or reads out to you.',
  unknownCode:
    'No device is waiting with this code. Check it, or get a new one on the device: codes expire after 15 minutes.',
  tooManyTries: 'Too many attempts for now. Try again in an hour.',
  decideTitle: (application) => `Connect a device to ${application}?`,
  check: 'Your device should show this code',
  requested: 'Requested',
  fromSameNetwork: (ip) => `from your own network (${ip}).`,
  fromOtherNetwork: (ip) =>
    `from a different network than yours (${ip}). If your device uses the same connection as this browser, select “Deny”.`,
  warning:
    'If someone sent you this code or this page, select “Deny”: their device would be signed in as you.',
  allowedTitle: 'Device allowed',
  allowed: 'Go back to your device. It signs in automatically within seconds. You can close this page.',
  takeBack: 'Changed your mind? Revoke this access under',
  takeBackLink: 'connected applications',
  deniedTitle: 'Device denied',
  denied: 'Nothing was shared. You can close this page.',
  ignore: 'If someone sent you this code, do not reply: your account is safe.',
  account: 'Go to my account',
  another: 'Connect another device',
};
