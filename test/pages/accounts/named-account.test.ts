// Account selection by login_hint, id_token_hint and prompt (ADR 12).
import { decodeJwt } from 'jose';
import { expect, test } from 'vitest';
import { type BrowserSession, openBrowserSession } from '../../support/browser-session.ts';
import { buildAuthorizeUrl, obtainTokens, redeemCode, signIn } from '../../support/oauth-flow.ts';
import { type TestUser, useTestService } from '../../support/service.ts';

const service = useTestService();

type Account = 'active' | 'inactive' | 'absent';

const OUTCOMES: Record<string, Record<Account, string>> = {
  'login_hint with no prompt': { active: 'active', inactive: 'inactive', absent: '/accounts' },
  'login_hint with none': { active: 'active', inactive: 'inactive', absent: 'active' },
  'login_hint with login': { active: '/signin', inactive: '/signin', absent: '/signin' },
  'login_hint with select_account': { active: '/accounts', inactive: '/accounts', absent: '/accounts' },
  'id_token_hint with no prompt': { active: 'active', inactive: 'inactive', absent: '/accounts' },
  'id_token_hint with none': { active: 'active', inactive: 'inactive', absent: 'login_required' },
  'id_token_hint with login': { active: '/signin', inactive: '/signin', absent: '/accounts' },
  'id_token_hint with select_account': { active: '/accounts', inactive: '/accounts', absent: '/accounts' },
  'claims with no prompt': { active: 'active', inactive: 'inactive', absent: '/accounts' },
  'claims with none': { active: 'active', inactive: 'inactive', absent: 'login_required' },
};

test('the authorization endpoint uses the hinted account if it is signed in', async () => {
  const client = await service.createClient();
  const users = {} as Record<Account, TestUser>;
  const idTokens = {} as Record<Account, string>;
  const browser = openBrowserSession(service.baseUrl);
  const addAccount = async (target: BrowserSession, user: TestUser) =>
    signIn(target, user, await target.get('/signin?another=1'));
  for (const account of ['absent', 'inactive', 'active'] as const) {
    users[account] = await service.createUser();
    const target = account === 'absent' ? openBrowserSession(service.baseUrl) : browser;
    await addAccount(target, users[account]);
    const tokens = await obtainTokens(service, client, target, { login_hint: users[account].email });
    idTokens[account] = tokens.idToken ?? '';
  }
  service.clock.advance(5);
  for (const [row, outcomes] of Object.entries(OUTCOMES))
    for (const [account, outcome] of Object.entries(outcomes)) {
      const [hint = '', prompt = ''] = row.split(' with ');
      const { email, userId } = users[account as Account];
      const values: Record<string, string> = {
        login_hint: email,
        id_token_hint: idTokens[account as Account],
        claims: JSON.stringify({ id_token: { sub: { value: userId } } }),
      };
      const visit = await browser.get(
        buildAuthorizeUrl(service, client, {
          [hint]: values[hint] ?? '',
          ...(prompt !== 'no prompt' && { prompt }),
        }),
      );
      const code = visit.location?.searchParams.get('code');
      const subject =
        code && decodeJwt(String((await redeemCode(service, client, code)).body.access_token)).sub;
      const used = Object.entries(users).find(([, user]) => user.userId === subject)?.[0];
      const actual = used ?? visit.location?.searchParams.get('error') ?? visit.location?.pathname;
      expect.soft(actual, `${row} that names the ${account} account`).toBe(outcome);
    }
});
