// English dictionary: layout, sign-in, consent, shared form fields and error pages.

import { account } from './en/account.ts';
import { activity } from './en/activity.ts';
import { admin } from './en/admin.ts';
import { agents } from './en/agents.ts';
import { apiAccess } from './en/api-access.ts';
import { apiIntegrate } from './en/api-integrate.ts';
import { apiTest } from './en/api-test.ts';
import { apis } from './en/apis.ts';
import { applications } from './en/applications.ts';
import { device } from './en/device.ts';
import { diagnostics } from './en/diagnostics.ts';
import { identityProviders } from './en/identity-providers.ts';
import { integrate } from './en/integrate.ts';
import { linkedAccounts } from './en/linked-accounts.ts';
import { mail } from './en/mail.ts';
import { ownership } from './en/ownership.ts';
import { passkeys } from './en/passkeys.ts';
import { protocol } from './en/protocol.ts';
import { serviceAccess } from './en/service-access.ts';
import { english } from './formats.ts';
import type { Messages } from './fr.ts';

const joinDateAndTime = (day: Date, time: string): string => `${english.day(day)}, ${time}\u00a0UTC`;
const instant = (day: Date): string => joinDateAndTime(day, english.time(day));

export const en: Messages = {
  date: english.day,
  instant,
  instantAgo: instant,
  instantExact: (day: Date): string => joinDateAndTime(day, english.timeWithSeconds(day)),

  layout: {
    skipToContent: 'Skip to content',
    languages: 'Language',
    languageNames: { fr: 'Français', en: 'English' },
    titleWithErrors: (title) => `Error: ${title}`,
    sections: 'Sections',
    account: 'My account',
    developers: 'Developers',
    applications: 'Applications',
    apis: 'APIs',
    admin: 'Administration',
  },

  serviceLinks: {
    links: 'About this service',
    help: 'Help',
    write: 'Contact us',
    accessibility: 'Accessibility',
    terms: 'Terms of use',
    privacy: 'Privacy',
    legalNotice: 'Legal notice',
    supportLabel: 'Support:',
    helpPage: 'the help page',
    writeTo: (email) => `Email ${email}`,
    openHelpPage: 'Open the help page',
    labeledLink: (label, address) => `${label}: ${address}`,
  },

  fields: {
    optional: 'optional',
    name: 'Name',
    nameHint: 'This is the name that applications will see.',
    email: 'Email address',
    password: 'Password',
    newPasswordHint: (minimum) =>
      `At least ${minimum} characters. Several words are better than one complicated word.`,
    showPassword: 'Show',
    hidePassword: 'Hide',
    strength: {
      fair: 'Fair password. One more word would make it strong.',
      good: 'Strong password.',
      strong: 'Very strong password.',
    },
    confirmPassword: 'Your current password',
    confirmationCode: 'Code from your authenticator app',
    confirmationCodeHint: 'The current six-digit code, or one of your recovery codes.',
    recoveryCode: 'Recovery code',
    recoveryCodeHint: 'One of your recovery codes, if you no longer have a passkey.',
    confirmPasswordHint: 'You signed in more than 15 minutes ago. Confirm that it’s still you.',
  },

  signIn: {
    title: 'Sign in',
    action: 'Sign in',
    continueTo: 'to continue to',
    cancel: (application) => `Cancel and return to ${application}`,
    toAccount: 'Cancel and return to your account',
    required: 'Sign in to open this page.',
    linking: (provider) => `Sign in to your account here. You can then link your ${provider} account to it.`,
    providerCanceled: 'You canceled the sign-in. You can try again, or sign in another way.',
    sessionOver: 'Your session has ended. Sign in again to pick up where you left off.',
    recovery: {
      title: 'Sign in with a recovery code',
      text: 'For accounts without a password. Each code works only once. After you sign in, replace the passkeys you’ve lost.',
      codeMissing: 'Enter a recovery code.',
      wrong: 'This address and this code do not match, or the account has a password.',
    },
    secondFactor: {
      title: 'Enter your code',
      text: 'Enter the code from your authenticator app.',
      code: 'Code',
      browser: 'Next time',
      trust: 'Trust this browser',
      trustHint:
        'For 30 days, your password alone will be enough in this browser. Do not select this on a shared computer.',
      lost: 'No longer have your phone?',
      lostText:
        'Enter one of your recovery codes instead. If you’ve lost those too, contact your administrator.',
      applicationAsks: (name) =>
        `${name} asks for the code from your authenticator app as well as your password.`,
      pageAsks: 'The page you opened requires the code from your authenticator app as well as your password.',
      action: 'Continue',
      without: 'Continue without a code',
      either: {
        title: 'Confirm that it’s you',
        text: 'Use a passkey, or the code from your authenticator app.',
        applicationAsks: (name) =>
          `${name} asks for more than your password: a passkey, or the code from your authenticator app.`,
        pageAsks:
          'The page you opened requires more than your password: a passkey, or the code from your authenticator app.',
        without: 'Continue without a second factor',
      },
      byPasskey: {
        title: 'Confirm with a passkey',
        applicationAsks: (name: string) => `${name} asks you to confirm with one of your passkeys.`,
        pageAsks: 'The page you opened requires you to confirm with one of your passkeys.',
        lost: 'No longer have a passkey?',
        make: 'Create a new one',
        without: 'Continue without a passkey',
      },
    },
    noAccountYet: 'No account yet?',
    signUp: 'Create an account',
  },

  signUp: {
    title: 'Create an account',
    action: 'Create my account',
    alreadyAnAccount: 'Already have an account?',
  },

  accounts: {
    title: 'Choose an account',
    active: 'current',
    another: 'Use another account',
    over: 'This account is signed out in this browser. Choose another one, or sign in.',
    signOut: (email) => `Sign out of ${email}`,
    signedOut: 'You’re signed out. Your other accounts in this browser stay signed in.',
    continueAs: (name) => `Continue as ${name}`,
    choose: 'Choose an account that’s already signed in',
  },

  signOut: {
    title: 'Sign out?',
    text: 'This ends your session in this browser. Applications keep their own sessions, so sign out of them too.',
    action: 'Sign out',
    also: (emails) => `Also signed in here: ${emails.join(', ')}.`,
    all: 'Sign out of all accounts',
    done: 'You’re signed out.',
    goOnTo: 'You’ll then go to',
    leaveTitle: 'Continue to an application?',
    leaveText:
      'You’re signed out in this browser. The link you followed goes to another site, so continue only if you recognize its address.',
    leaveTo: 'The link leads to',
    leave: (host) => `Continue to ${host}`,
    stay: 'Stay here',
    atProvider: {
      title: (provider) => `Sign out of ${provider}`,
      text: (provider) => `You’re signed out here. You’ll now be signed out of ${provider}, too.`,
      action: (provider) => `Sign out of ${provider}`,
    },
  },

  consent: {
    title: (application) => `Share your information with ${application}?`,
    titleAccess: (application) => `Give ${application} access to your account?`,
    titleApis: (application, count) => `Give ${application} access to ${count} APIs?`,
    titleApi: (application, api) => `Give ${application} access to ${api}?`,
    address: 'This application’s address',
    addressAdvice: 'Allow only if you recognize it.',
    verified: 'This service has verified this application.',
    verifiedTag: 'verified',
    unverifiedTag: 'not verified',
    unverified: 'This service has not verified this application.',
    about: 'What the application says about itself',
    homePage: 'Home page',
    privacyPolicy: 'Privacy policy',
    termsOfService: 'Terms of service',
    account: 'Account in use',
    switchAccount: 'Use another account',
    agentTag: 'unregistered agent',
    agentWithoutDocumentTag: 'unverified agent',
    agentName: 'Calls itself',
    unverifiedAgent: (name) => `the unverified agent “${name}”`,
    agentUnregistered: 'Deny if you do not recognize this address.',
    agentWithoutDocument: 'Your answer will be sent to this address. Deny if you do not recognize it.',
    answerGoes: 'The response goes to',
    answerStays: (host) =>
      `Any program on this device can receive the response (${host}). Allow only if you just started this sign-in.`,
    answerToApp: (host) =>
      `Any application on this device can receive the response (${host}). Allow only if you just started this sign-in.`,
    owner: 'Described by',
    sensitive: 'Sensitive access: select only what you want',
    wholeApi: 'Access to the whole API: it has no separate permissions.',
    pick: 'What you allow',
    pickMissing: 'Select at least one permission, or deny.',
    pickFirst: 'Go to the first one',
    identifierAlone: 'From your profile, only your identifier is shared.',
    shared: 'What will be shared',
    openid: 'Identifier',
    openidFor: 'to recognize you',
    profile: 'Name and picture',
    email: 'Email address',
    emailVerified: 'verified',
    emailNotVerified: 'not verified yet',
    phone: 'Phone',
    noPhone: 'No number on file: nothing will be shared until you add one.',
    details: 'Details',
    identifier: 'Your identifier',
    updatedAt: 'Profile changed on',
    next: (host) => `You’ll then return to ${host}.`,
    revocable: 'You can revoke this access at any time from your account.',
    allow: 'Allow',
    deny: 'Deny',
    requestChanged: 'The information on this page has changed. Check it, then choose again.',
    accountChanged: 'The signed-in account has changed. Check it, then choose again.',
  },

  callback: {
    title: 'Returning to the application',
    text: 'We’re sending your answer to the application. If nothing happens, select “Continue”.',
    action: 'Continue',
  },

  home: {
    welcomeTitle: 'One account for all your applications',
    welcome: (service) =>
      `Sign in to your applications with one ${service} account. You decide what each one receives.`,
    developers: 'For developers',
    developersText: 'Sign people in to your application with OAuth 2.0 and OpenID Connect.',
    register: 'Register an application',
    button: 'Sign-in button',
    discovery: 'Discovery document',
  },

  account,
  agents,
  apis,
  apiAccess,
  serviceAccess,
  apiIntegrate,
  apiTest,
  applications,
  device,
  activity,
  diagnostics,
  identityProviders,
  integrate,
  mail,
  operations: admin,
  ownership,
  protocol,

  passkeys,
  linkedAccounts,

  pictures: {
    preview: 'Preview',
    zoom: 'Zoom',
    horizontal: 'Left to right',
    vertical: 'Top to bottom',
  },

  formErrors: {
    title: (count) => (count === 1 ? 'There is a problem' : `There are ${count} problems`),
    emailInvalid: 'Enter a full email address, such as camille@example.org.',
    emailTaken: 'An account with this address already exists. Sign in, or use another address.',
    nameRequired: 'Enter your name.',
    nameTooLong: (maximum) => `Your name must be ${maximum} characters or fewer.`,
    passwordRequired: 'Enter your password.',
    passkeyWrong: 'This passkey does not confirm your account. Try again, or use another one.',
    passwordMissing: 'Enter your current password.',
    passwordWrong: 'That is not your current password.',
    codeMissing: 'Enter the six-digit code from your authenticator app, or a recovery code.',
    codeWrong:
      'This code does not work, or has been used already. Wait for the next one, or use a recovery code.',
    codesTried: 'Too many wrong codes. Enter a recovery code, or try again in three hours.',
    newPassword: {
      tooShort: (minimum) => `Choose a password of at least ${minimum} characters.`,
      tooLong: (maximum) => `Choose a password of at most ${maximum} characters.`,
      personal:
        'Too easy to guess: it contains your name, your email address or the name of this service. Choose something else.',
      easy: 'Too easy to guess. Add another word or two.',
    },
    suspended: 'Your account is suspended. Contact your administrator.',
    wrongCredentials: 'Incorrect email address or password.',
    kept: 'Your session ended before anything was saved. Check what you entered, then send it again.',
    formExpired: 'The form expired before you sent it. Check your answers, then send it again.',
    signInExpired: 'The form expired before you sent it. Enter your password again.',
  },

  errorPages: {
    incident: 'Incident code',
    incidentAdvice: 'If you ask for help, include this code.',
    home: 'Go to the home page',
    staySignedIn: 'Stay signed in',
    startAgain: 'Start again',
    newEmail: 'Request a new email',
    otherSignIn: 'Sign in another way',
    secure: 'Open the encrypted page',
    retry: {
      page: 'Try again',
      form: 'Back to the form',
      pageIn: 'Try again in',
      formIn: 'Back to the form in',
      pageAfter: (at) => `Try again after ${english.timeWithSeconds(at)} UTC`,
      formAfter: (at) => `Back to the form after ${english.timeWithSeconds(at)} UTC`,
    },
    forDevelopers: 'What the developer needs to know',
    toApplication: (application) => `Go back to ${application}`,
    unknownApplication: {
      title: 'Unknown application',
      text: 'The link you followed comes from an application that is not registered here. Contact the application’s support team.',
    },
    invalidCallback: {
      title: 'This sign-in request is not safe',
      text: 'The application asked us to send you to a URL that it has not registered. To protect you, we stopped here. To open the application, type its address yourself.',
    },
    missingParameter: {
      title: 'This sign-in request is incomplete',
      text: 'It does not name an application or a callback URL. Go back to the application and use its sign-in button again.',
    },
    applicationGone: {
      title: 'This application is no longer available',
      text: 'It was deleted before you answered. Nothing was shared with it.',
    },
    requestExpired: {
      title: 'This sign-in request has expired',
      text: 'You left the application too long ago. Nothing was shared. Start again from the application.',
    },
    otherBrowser: {
      title: 'You started in another browser',
      text: 'A sign-in must start and end in the same browser, with cookies allowed. Go back to the application in this browser and use its sign-in button again.',
    },
    agentUnreadable: {
      title: 'We cannot tell who is asking',
      text: 'An agent, such as an assistant, requested access to your account. We could not verify it, or this service does not allow it. Nothing was shared.',
    },
    agentBlocked: {
      title: 'This agent is blocked here',
      text: 'Your administrator has blocked it. Nothing was shared.',
    },
    agentLater: {
      title: 'Too many agents right now',
      text: 'We’re looking up too many agents at the moment. Nothing was shared.',
    },
    formExpired: {
      title: 'This form has expired',
      text: 'We could not confirm that it came from you. Nothing was saved. Allow cookies, reload the previous page and send the form again.',
    },
    badRequest: {
      title: 'This page could not be opened',
      text: 'Go back to the previous page or application, and start again. Nothing was saved.',
    },
    uploadTooLarge: {
      title: 'This file is too large',
      text: 'Files can be up to 2 MB. Nothing was saved: go back and choose a smaller file.',
    },
    secondFactorOver: {
      title: 'Sign in again',
      text: 'The code was not entered in time, or your password has changed.',
    },
    identityExpired: {
      title: 'Sign in again',
      text: 'You signed in with the other service more than ten minutes ago, or in another browser. Start again in this browser.',
    },
    providerFailed: (provider) => ({
      title: `Signing in with ${provider} did not work`,
      text: `${provider} did not send a valid response. Nothing was saved. Try again later, or sign in another way.`,
    }),
    providerDisabled: (provider) => ({
      title: `${provider} is no longer available here`,
      text: 'Your administrator has disabled this way to sign in. Sign in another way, or ask your administrator for help.',
    }),
    providerSignInOver: (provider) => ({
      title: 'Sign in again',
      text: `The response from ${provider} arrived too late, arrived in another browser or was already used. Nothing was saved.`,
    }),
    accountSuspended: {
      title: 'Your account is suspended',
      text: 'You cannot sign in at the moment. Contact your administrator.',
    },
    deadLink: {
      title: 'This link no longer works',
      text: 'It was used, has expired or was replaced. If you still need one, request a new email.',
    },
    signUpLinkOver: {
      title: 'This link no longer works',
      text: 'It has expired or is incomplete. Start the sign-up again.',
    },
    resetOver: {
      title: 'This link no longer works',
      text: 'No reset is pending. It was stopped, or your second factor has already been removed. Check how you can sign in.',
    },
    notFound: {
      title: 'Page not found',
      text: 'There is no page at this address.',
    },
    rateLimited: (seconds) => ({
      title: 'Too many requests',
      text: `We have received too many requests from your network. You can try again in ${english.wait(seconds)}.`,
    }),
    overloaded: (seconds) => ({
      title: 'We’re very busy at the moment',
      text: `Too many people are signing in at the same time. You can try again in ${english.wait(seconds)}.`,
    }),
    unavailable: {
      title: 'The service is temporarily unavailable',
      text: 'Part of our system is not responding. Your account is not affected.',
    },
    serverError: {
      title: 'Something went wrong on our side',
      text: 'This is not your fault. Your request may not have gone through. Try again in a few minutes.',
    },
    httpsRequired: {
      title: 'This connection is not encrypted',
      text: 'This service requires an encrypted connection. In the address, replace http:// with https://.',
    },
    invalidLogout: {
      title: 'Do you want to sign out?',
      text: 'The application asked for a sign-out that we cannot verify. Your session has not changed.',
    },
    signUpClosed: {
      title: 'Sign-up is closed',
      text: 'This service is not accepting new accounts. Sign in if you have one, or contact your administrator.',
    },
  },
};
