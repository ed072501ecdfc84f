// The connection tester: a server to test, and how the page says what was found.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { STEPS, type Step } from '../../src/agents/connection-test.ts';
import { messagesFor } from '../../src/i18n/index.ts';
import type { Visit } from './browser-session.ts';

export type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

export const json =
  (body: unknown, status = 200, headers = {}): Answer =>
  (_, response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
export const plain =
  (status: number, headers = {}, body = ''): Answer =>
  (_, response) =>
    response.writeHead(status, headers).end(body);
export const hangUp: Answer = ({ socket }) => socket.destroy();

export const TEXT = messagesFor('en').apiTest;

export const stepOf = ({ body }: Visit, step: Step): string =>
  new RegExp(`<li class="check" id="step-${step}">([^]*?)</li>`).exec(body)?.[1] ?? '';
export const passed = (visit: Visit): Step[] =>
  STEPS.filter((step) => stepOf(visit, step).includes(TEXT.states.passed));
export const failed = (visit: Visit): Step[] =>
  STEPS.filter((step) => stepOf(visit, step).includes(TEXT.states.failed));
/** What the first words of a remedy are, as the page has them. */
export const remedy = (kind: keyof typeof TEXT.remedies) => TEXT.remedies[kind].split(/[`'“]/)[0] ?? '';
