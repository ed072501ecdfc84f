// What an agent's authorization costs the database: one statement more than an application's, where its document is known.
import { afterAll, expect, test } from 'vitest';
import { agentAddress, openAgentHost } from '../support/agents.ts';
import { createTestDatabase } from '../support/database.ts';
import { openDatabaseProxy } from '../support/database-proxy.ts';
import { decide, redeem, signedInBrowser } from '../support/flow.ts';
import { startTestService, type TestApplication } from '../support/service.ts';
import { statementsDuring } from '../support/statements.ts';

const host = await openAgentHost();
const database = await createTestDatabase();
const proxy = await openDatabaseProxy(database.url);
const service = await startTestService({ AGENTS: host.origin }, { databaseUrl: proxy.url });
afterAll(async () => {
  host.close();
  await service.close();
  await proxy.close();
  await database.drop();
});

/** The statements of the way from the authorization address to the tokens, by step. */
async function statementsOf(application: TestApplication): Promise<Record<string, string[]>> {
  const browser = await signedInBrowser(service, await service.createUser());
  const { address, verifier } = agentAddress(service, application.clientId, {
    redirect_uri: application.redirectUri,
    prompt: 'consent',
  });
  const steps: Record<string, string[]> = {};
  const step = async <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
    const { result, statements } = await statementsDuring(service, proxy, work);
    steps[name] = statements;
    return result;
  };
  const asked = await step('authorize', () => browser.get(address));
  const consent = await browser.follow(asked);
  const { location } = await step('decide', () => decide(browser, consent, 'allow'));
  const code = location?.searchParams.get('code') ?? '';
  await step('redeem', () => redeem(service, application, code, { code_verifier: verifier }));
  return steps;
}

test('one statement more, at the authorize address', async () => {
  const redirectUri = 'https://agent.example/callback';
  const application = await service.createApplication({
    type: 'public',
    standard: true,
    redirectUris: [redirectUri],
  });
  const agent = { clientId: host.publish(), clientSecret: '', redirectUri };
  await statementsOf(agent); // its document is read
  await statementsOf(application);
  const ofApplication = await statementsOf(application);
  const ofAgent = await statementsOf(agent);
  expect(ofApplication.authorize).toEqual(['find_authorization_facts']);
  expect(ofAgent.authorize).toEqual(['find_agent', 'find_authorization_facts']);
  // The first consent to an agent is mailed besides.
  const { decide: common = [] } = ofApplication;
  expect(ofAgent.decide?.slice(0, common.length)).toEqual(common);
  expect(ofAgent.decide?.slice(common.length)).toContain('insert_mail');
  expect(ofAgent.redeem).toEqual(ofApplication.redeem);
  expect(host.asked).toHaveLength(1);
});
