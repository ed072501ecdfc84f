// English: email address and password pages.
import type { credentials as reference } from '../fr/credentials.ts';

export const credentials: typeof reference = {
  noMail: {
    text: 'No email server is configured. Contact your administrator.',
  },
  code: 'Code received by email',
  codeAction: 'Check the code',
  codeMissing: 'Enter the eight-digit code from the email.',
  codeWrong: 'This is not the code from our latest email. Check it and try again.',
  codeDead: 'This code has expired. Request a new email.',
  codesTooMany:
    'Too many wrong codes have been entered today. Open the link in the email instead: it still works.',
  nothingReceived: 'Nothing there? Look in your spam folder.',
  resend: 'Send the email again',
  resendIn: 'Send the email again in',
  tooManyEmails: 'Too many emails have been requested. Wait an hour before you ask for another.',
  verified: 'verified',
  notVerified: 'not verified yet',

  email: {
    present: 'Current address',
    verify: 'Verify this address',
    changeTitle: 'Change your address',
    newEmail: 'New email address',
    newEmailHint: 'We’ll send a link and a code there. Nothing changes until you confirm.',
    action: 'Send confirmation email',
    waitingTitle: 'Waiting for confirmation',
    waiting: (email: string) =>
      `We’ve sent an email to ${email}. Open the link in it, or enter its code here.`,
    cancel: 'Cancel this change',
    same: 'This is already your address.',
    taken: 'Another account already uses this address. Choose another one.',
    done: {
      sent: 'Email sent.',
      verified: 'Thank you, your address is verified.',
      changed: 'Your new address has been saved and verified.',
      canceled: 'Change canceled. Your address stays the same.',
    },
  },

  verifyFirst: {
    title: 'Verify your email address first',
    text: (email: string) =>
      `This action requires a verified email address. Confirm that ${email} is yours, so that nobody else can set up an account in your name.`,
    action: 'Verify my address',
    note: 'To add passkeys or a second factor, first verify your email address.',
  },

  verify: {
    title: 'Verify your address',
    text: (email: string) =>
      `Once ${email} is verified, applications can rely on it to identify you, and you can use it to recover your account.`,
    sentTitle: 'Check your email',
    sent: (email) => `We’ve sent a code to ${email}. Enter it here, or open the link in the email.`,
    send: 'Send me the verification email',
    done: {
      sent: 'Email sent.',
      welcome: 'Your account has been created. Now verify your address.',
    },
    later: 'Later',
  },

  password: {
    text: 'Changing your password ends your other sessions and revokes the access of all applications. You’ll stay signed in here.',
    newPassword: 'New password',
    action: 'Change password',
    same: 'This is already your password. Choose another one.',
    changedMeanwhile: 'Your password was changed elsewhere in the meantime. Start again with the new one.',
    done: {
      changed: 'Your password has been changed. Your other sessions have ended.',
      reset: 'Your new password has been saved and you’re signed in. All other sessions have ended.',
    },
  },

  forgot: {
    withoutPassword: 'No password?',
    byRecoveryCode: 'Use a recovery code',
    link: 'Forgot your password?',
    title: 'Reset your password',
    text: 'Enter your account’s email address. We’ll send a link there to choose a new password.',
    action: 'Send link',
    sentTitle: 'Check your email',
    sent: (email) =>
      `If there is an account with ${email === undefined ? 'this address' : `the address ${email}`}, we’ve just sent a link to it. It works for 30 minutes.`,
    unverified: (email) =>
      `An account with ${email === undefined ? 'this address' : `the address ${email}`} was created, but the address was never confirmed. We’ve just sent a link to the address. Open the link within 30 minutes to choose a password and make the account yours.`,
    again: 'Enter another address',
    signIn: 'Back to sign-in',
  },

  signInByMail: {
    title: 'Check your email',
    text: (email: string) =>
      `Many wrong passwords have been tried for ${email}, and we do not recognize this browser. If you just entered the right password, we’ve sent a code to that address. Enter it here.`,
    advice: 'Nothing there? Look in your spam folder, then start again: you may have mistyped the password.',
    codeWrong:
      'This is not the code from our latest email, or it no longer works. Check it, start again, or reset your password on the sign-in page.',
    again: 'Start again',
  },

  invitation: {
    title: (service: string) => `Welcome to ${service}`,
    text: (service: string) =>
      `An account is waiting for you. Choose a password to sign in to ${service} and to the applications that use it.`,
    action: 'Open my account',
  },
  reset: {
    title: 'Choose a new password',
    text: (email: string) =>
      `For the account ${email}. All its sessions will end, and you’ll be signed in here. Applications keep their permissions, but you’ll have to sign in to them again.`,
    unverifiedText: (email: string) =>
      `For the account ${email}. Nobody has confirmed this address yet, so someone else may have created the account.`,
    verifyTitle: 'Confirm your address',
    verifyText: (email: string) =>
      `To confirm ${email}, sign in, or enter the code from the email in the browser where you created the account.`,
    takeOver: 'If you did not create this account',
    takeOverText: 'Choose a new password to make it yours.',
    removes: 'Everything set up so far will be removed:',
    removed: ['sessions', 'passkeys', 'authenticator app and codes', 'permissions'],
    takeOverAction: 'Remove everything and take over this account',
    action: 'Save and sign me in',
  },

  confirm: {
    verifyTitle: 'Confirm your address',
    verifyText: (email: string, name: string) => `Confirm that ${email} is the address of ${name}’s account.`,
    verifyAction: 'Yes, this is my address',
    changeTitle: 'Confirm your new address',
    changeText: (email: string, name: string) =>
      `${name}’s account will use the address ${email}, including to sign in.`,
    changeAction: 'Use this address',
    another: 'Choose another address',
    takenTitle: 'This address is already used',
    taken: (email: string) => `Another account already uses ${email}. Nothing has changed.`,
    signInFirst: (email: string) =>
      `Sign in to the account whose address you are changing to ${email}, then enter the code from the email. Nothing has changed yet.`,
    advice: 'If you did not ask for this, close this page: nothing will change.',
    doneTitle: 'Confirmed',
    done: {
      verified: 'Your address has been verified. You can close this page.',
      changed: 'Your new address has been saved and verified. You can close this page.',
    },
    toAccount: 'Go to my account',
    goOn: 'Go back to where you were',
    toApplication: (application: string) => `Continue to ${application}`,
  },

  report: {
    title: 'This was not you?',
    ends: 'We’ll end all your sessions, revoke access for all applications and disable your current password. We’ll then email you a link to choose a new one.',
    restores: (email: string) => `Your account will go back to the address ${email}.`,
    incomplete:
      'All sessions have ended, access is revoked and the password is disabled, but the rest failed. Try again in a moment.',
    removes: 'What will be removed',
    action: 'This was not me, stop everything',
    advice: 'If it was you, close this page: nothing will change.',
    doneTitle: 'Your account is protected',
    done: 'All sessions have ended, access is revoked and the old password no longer works.',
    chooseNew: 'Choose a new one to get back into your account.',
    emailTaken:
      'Another account now uses your previous address, so we could not restore it. Your account is suspended until your administrator has checked it.',
    reset: 'Choose a new password',
    removed: 'What has been removed',
    review: 'To review',
    reviewText:
      'These changes and deletions happened during or after the reported session. We do not undo them: review them once you are back in your account.',
    account: 'Your account',
    items: {
      passkey: (name: string) => (name === '' ? 'Passkey' : `Passkey “${name}”`),
      authenticator_app: () => 'Authenticator app',
      linked_identity: (name: string) => (name === '' ? 'External account' : `External account ${name}`),
      recovery_codes: () => 'Recovery codes',
      secret: (number: string) => `Secret no. ${number}`,
      redirect_uri: (uri: string) => `Callback URL ${uri}`,
      key: (name: string) => (name === '' ? 'Public key' : `Public key “${name}”`),
      consent: () => 'Permission to access your account',
      service_access: (name: string) =>
        name === '' ? 'An application’s access' : `Access by the application “${name}”`,
    },
  },

  tooManySignUps: 'Too many accounts have been created from your network. Wait an hour, then try again.',
};
