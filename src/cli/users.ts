// sesame users: creates and manages accounts.
import { type Command, Option } from 'commander';
import { cleanName, findNameError, isEmail, isPhone } from '../accounts/account-fields.ts';
import { type Moderator, moderateAccount } from '../accounts/moderation.ts';
import { sendNotification } from '../accounts/notifications.ts';
import { editAccount } from '../credentials/account-edit.ts';
import { sendInvitation } from '../credentials/admin-emails.ts';
import { cancelMfaResetAsAdmin, requestMfaReset, restartMfaResetDelay } from '../credentials/mfa-reset.ts';
import { createAccount } from '../credentials/sign-up.ts';
import type { Locale } from '../i18n/index.ts';
import { LOCALES } from '../i18n/index.ts';
import { normalizeEmail } from '../oauth/email.ts';
import { findAccountDetail } from '../store/admin-accounts.ts';
import type { AccountAction } from '../store/admin-actions.ts';
import { recordEvent } from '../store/audit-log.ts';
import { findContact, recordPasswordChange } from '../store/credentials.ts';
import { listIdentities } from '../store/external-identities.ts';
import { findMfaReset } from '../store/mfa-resets.ts';
import { lockAccountChanges } from '../store/session-locks.ts';
import { endSessions } from '../store/sessions.ts';
import { listSignIns } from '../store/sign-in-history.ts';
import { findUserByEmail, forgetKnownBrowsers, listUsers, setAccountPassword } from '../store/users.ts';
import { CommandError, type Context } from './context.ts';
import { readOrGeneratePassword } from './password-input.ts';
import { addModerationCommands, type CreateAction, cleanReason, formatExamples } from './run.ts';

const createUserNotFoundError = (email: string) =>
  new CommandError(`No account has the email address ${email}. To list accounts, run: sesame users list`);

async function requireUser({ database }: Context, email: string) {
  const user = await findUserByEmail(database, email);
  if (user === undefined) throw createUserNotFoundError(email);
  return user;
}

async function showUser(context: Context, email: string) {
  const { database, now } = context;
  const { userId } = await requireUser(context, email);
  const account = await findAccountDetail(database, userId, now);
  if (account === undefined) throw createUserNotFoundError(email);
  const signIns = await listSignIns(database, userId);
  const identities = await listIdentities(database, userId);
  return {
    sub: account.userId,
    email: account.email,
    name: account.name,
    phone: account.phone,
    email_verified: account.emailVerified,
    admin: account.isAdmin,
    suspended: account.suspended,
    invited: account.invited,
    created_at: account.createdAt,
    has_password: account.hasPassword,
    password_imported: account.hasImportedPassword,
    password_set_at: account.passwordSetAt,
    authenticator_app_since: account.appEnabledAt,
    recovery_codes_left: account.recoveryCodes,
    remembered_devices: account.rememberedDevices,
    passkeys: account.passkeys,
    linked_identities: identities.map((identity) => ({
      provider_id: identity.providerId,
      provider: identity.providerName,
      label: identity.label,
      enabled: identity.enabled,
      linked_at: identity.createdAt,
      last_used_at: identity.lastUsedAt,
    })),
    mfa_reset_due_at: account.mfaResetDueAt,
    open_sessions: account.liveSessions,
    sign_ins: signIns,
  };
}

async function resetMfa(
  context: Context,
  email: string,
  options: { stop?: boolean; passkeys?: boolean; now?: boolean; reason?: string },
) {
  const { database, now } = context;
  const user = await requireUser(context, email);
  const { userId } = user;
  const services = { ...context, sealer: await context.sealer() };
  const by = cleanReason(options);
  if (options.stop)
    return { email: user.email, stopped: await cancelMfaResetAsAdmin(services, userId, by, now) };
  const mode = { passkeys: options.passkeys ?? false, immediate: options.now ?? false };
  const outcome = await requestMfaReset(services, userId, mode, by, now);
  const dueAt = (await findMfaReset(database, userId))?.dueAt ?? null;
  return { email: user.email, outcome, due_at: dueAt };
}

interface CreateOptions {
  email: string;
  name: string;
  phone?: string;
  verified?: boolean;
  admin?: boolean;
  passwordStdin?: boolean;
}

async function createUser(context: Context, options: CreateOptions) {
  const { database, now } = context;
  const name = cleanName(options.name);
  const { phone } = options;
  const email = normalizeEmail(options.email);
  requireValidEmail(email);
  requireValidName(name);
  if (phone !== undefined) requireValidPhone(phone);
  const { hash: passwordHash, output } = await readOrGeneratePassword(context, options, [name, email]);
  const { verified: emailVerified, admin: isAdmin } = options;
  const fields = { email, name, passwordHash, phone, emailVerified, isAdmin };
  const account = await database.transaction(async (transaction) => {
    const created = await createAccount(transaction, fields, now);
    if (created === undefined) return undefined;
    const { userId } = created;
    const detail = { email, admin: isAdmin ?? false };
    await recordEvent(transaction, { kind: 'account_created', userId, detail }, now);
    return created;
  });
  if (account === undefined)
    throw new CommandError(`An account with the email address ${email} already exists.`);
  return { sub: account.userId, email, ...output };
}

async function inviteUser(
  context: Context,
  { email: enteredEmail, name: enteredName, language }: { email: string; name: string; language: Locale },
) {
  const email = normalizeEmail(enteredEmail);
  const name = cleanName(enteredName);
  requireValidEmail(email);
  requireValidName(name);
  if (!context.mailer.available)
    throw new CommandError('Invitations require an email server. Set SMTP_URL, or run: sesame users create');
  const services = { ...context, hasher: await context.hasher(), sealer: await context.sealer() };
  const result = await sendInvitation(services, { email, name, locale: language }, {}, context.now);
  if (result.outcome !== 'invited')
    throw new CommandError(`An account with the email address ${email} already exists.`);
  return { sub: result.userId, email };
}

interface UpdateOptions {
  name?: string;
  email?: string;
  phone?: string;
  verified?: boolean;
  reason?: string;
}

/** An empty phone number removes the current one. */
async function updateUser(context: Context, currentEmail: string, options: UpdateOptions) {
  const { verified = false } = options;
  const name = options.name === undefined ? undefined : cleanName(options.name);
  const email = options.email === undefined ? undefined : normalizeEmail(options.email);
  const phone = options.phone === '' ? null : options.phone;
  if (name === undefined && email === undefined && phone === undefined && !verified)
    throw new CommandError('Nothing to change. Pass --name, --email, --phone or --verified.');
  if (name !== undefined) requireValidName(name);
  if (email !== undefined) requireValidEmail(email);
  if (phone) requireValidPhone(phone);
  const { userId, email: formerEmail } = await requireUser(context, currentEmail);
  const services = { ...context, sealer: await context.sealer() };
  const edit = { name, email, phone, verified };
  const outcome = await editAccount(services, userId, edit, cleanReason(options), context.now);
  if (outcome === 'notFound') throw createUserNotFoundError(currentEmail);
  if (outcome === 'taken')
    throw new CommandError(`An account with the email address ${email} already exists.`);
  if (outcome === 'tooMany')
    throw new CommandError(`Too many emails have been sent to ${email}. Try again in an hour.`);
  const isPending = outcome === 'requested';
  const account = await findAccountDetail(context.database, userId, context.now);
  return {
    sub: userId,
    email: account?.email ?? formerEmail,
    email_verified: account?.emailVerified ?? false,
    changed: outcome !== 'unchanged',
    ...(isPending && { email_to_confirm: email }),
  };
}

function requireValidEmail(email: string): void {
  if (!isEmail(email)) throw new CommandError(`${JSON.stringify(email)} is not a valid email address.`);
}

function requireValidName(name: string): void {
  if (findNameError(name) !== undefined) throw new CommandError('--name must be 1 to 100 characters long.');
}

function requireValidPhone(phone: string): void {
  if (!isPhone(phone))
    throw new CommandError('--phone must be in international format, such as +33612345678.');
}

/** Revokes the account's sessions and tokens but keeps its consents. */
async function setPassword(context: Context, email: string, options: { passwordStdin?: boolean }) {
  const { database, now } = context;
  const user = await requireUser(context, email);
  const { hash, output } = await readOrGeneratePassword(context, options, [user.name, user.email]);
  const { userId } = user;
  await database.transaction(async (transaction) => {
    await lockAccountChanges(transaction, userId);
    await endSessions(transaction, userId, now);
    await setAccountPassword(transaction, userId, hash);
    await recordPasswordChange(transaction, userId, now);
    await forgetKnownBrowsers(transaction, userId);
    await restartMfaResetDelay(transaction, userId, now);
    await recordEvent(transaction, { kind: 'password_reset', userId }, now);
  });
  const mailbox = await findContact(database, userId);
  if (mailbox !== undefined) await sendNotification(context, mailbox, 'password_set', {}, now);
  return { sub: userId, email: user.email, ...output };
}

const listAccounts = async ({ database }: Context) => ({
  columns: ['sub', 'email', 'name', 'email_verified', 'admin', 'suspended', 'created_at'],
  rows: (await listUsers(database)).map((row) => ({
    sub: row.userId,
    email: row.email,
    name: row.name,
    phone: row.phone,
    email_verified: row.emailVerified,
    admin: row.isAdmin,
    suspended: row.suspended,
    invited: row.invited,
    created_at: row.createdAt,
  })),
});

async function moderateUser(action: AccountAction, email: string, by: Moderator, context: Context) {
  const user = await requireUser(context, email);
  const outcome = await moderateAccount(context, action, user.userId, by, context.now);
  if (outcome === 'lastAdmin')
    throw new CommandError(
      'This is the last administrator. Make another account an administrator first: sesame users grant-admin <email>',
    );
  if (outcome === 'notFound') throw createUserNotFoundError(email);
  return { sub: user.userId, email: user.email, changed: outcome === 'done' };
}

export function addUserCommands(program: Command, run: CreateAction): void {
  const users = program
    .command('users')
    .description('Manage accounts')
    .addHelpText(
      'after',
      formatExamples(
        'users create --email ada@example.com --name Ada --verified',
        'users grant-admin ada@example.com --reason "on call"',
        'users reset-mfa ada@example.com',
      ),
    );
  users
    .command('create')
    .description('Create an account. Without --password-stdin, a password is generated and printed')
    .requiredOption('--email <email>', "the account's email address")
    .requiredOption('--name <name>', 'display name')
    .option('--phone <number>', 'phone number in international format, such as +33612345678')
    .option('--verified', 'mark the email address as verified')
    .option('--admin', 'make the account an administrator')
    .option('--password-stdin', 'read the password from standard input')
    .action(run(createUser));
  users
    .command('invite')
    .description('Create an account and email the user a link to set a password')
    .requiredOption('--email <email>', "the account's email address")
    .requiredOption('--name <name>', 'display name')
    .addOption(new Option('--language <tag>', 'language of the email').choices(LOCALES).default('fr'))
    .action(run(inviteUser));
  users
    .command('update')
    .description(
      "Change an account's name, email address or phone number. If the current email address is verified, the user must confirm a new one. With --verified or without an email server, it takes effect immediately",
    )
    .argument('<email>')
    .option('--name <name>', 'display name')
    .option('--email <email>', 'new email address')
    .option('--phone <number>', 'phone number in international format, or "" to remove it')
    .option('--verified', 'mark the email address as verified')
    .option('--reason <text>', 'reason for the audit log')
    .action(run(updateUser));
  users
    .command('set-password')
    .description(
      'Set a new password and revoke all sessions and tokens. Without --password-stdin, a password is generated and printed',
    )
    .argument('<email>')
    .option('--password-stdin', 'read the password from standard input')
    .action(run(setPassword));
  users
    .command('show')
    .description('Show an account, its sign-in methods and recent sign-ins')
    .argument('<email>')
    .action(run(showUser));
  users.command('list').description('List all accounts').action(run(listAccounts));
  users
    .command('reset-mfa')
    .description(
      "Remove an account's authenticator app, recovery codes and remembered devices after a one-day delay",
    )
    .argument('<email>')
    .option('--passkeys', "also remove the account's passkeys")
    .option('--now', 'reset immediately')
    .option('--stop', 'cancel a pending reset')
    .option('--reason <text>', 'reason for the audit log')
    .action(run(resetMfa));
  addModerationCommands(
    users,
    run,
    '<email>',
    [
      ['suspend', 'suspend', 'Suspend an account and revoke its sessions and tokens'],
      ['unsuspend', 'unsuspend', 'Unsuspend an account'],
      ['end-sessions', 'end', "Revoke all of an account's sessions and tokens"],
      ['grant-admin', 'grant', 'Make an account an administrator'],
      [
        'revoke-admin',
        'revoke',
        'Remove administrator rights from an account. Fails for the last administrator',
      ],
      ['delete', 'delete', 'Delete an account and its applications and APIs'],
    ],
    moderateUser,
  );
}
