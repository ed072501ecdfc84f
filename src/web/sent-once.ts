// Impatience is harmless: a form that is sent twice within seconds does what it asks for once, and both get that answer.
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { EntryForm } from '../credentials/session-start.ts';
import { withoutSlot } from '../http/overload.ts';
import { formOf } from '../http/parameters.ts';
import type { Parts } from '../http/parts.ts';
import { usedFormDigest } from '../oauth/digests.ts';
import { createSealer, type Sealer } from '../oauth/seal.ts';
import { claimForm, findKeptAnswer, keepAnswer, releaseForm } from '../store/used-forms.ts';
import { emailKey } from '../store/users.ts';
import { browserIdsOf, sessionIdOf } from './browser.ts';
import { isCsrfToken } from './csrf.ts';
import { openLookOuts } from './look-outs.ts';

/** How long an answer is kept for whoever sends the form again, in seconds. */
const KEPT = 15;
/** After so many seconds a form may be taken anew: what was to answer it has probably ended. */
const LONGEST_WORK = 60;

/** A form as it was sent: the very page it stood on, in the very browser. */
interface SentForm {
  key: Buffer;
  token: string;
}

/** A form that this request has taken. */
interface Claim extends SentForm {
  refused: boolean;
}

declare module 'fastify' {
  interface FastifyRequest {
    claim: Claim | undefined;
  }
}

/** What a form was answered with: forms lead on, always (web/form-page.ts). */
interface Answer {
  location: string;
  cookies: string[];
}

/** Of every form that carries a token, but those of routes that say `answersAgain`: they have a rule of their own. */
export function sentOnce(app: FastifyInstance, parts: Parts): void {
  const { database, sealer, now } = parts;
  const later = (seconds: number) => new Date(now().getTime() + seconds * 1000);
  /** The answer that somebody else is making. */
  const answerTo = openLookOuts((key) => findKeptAnswer(database, key, now()), pause);
  app.decorateRequest('claim', undefined);

  app.addHook('preHandler', async (request, reply) => {
    if (request.method !== 'POST' || request.routeOptions.config.answersAgain) return undefined;
    const sent = formSentBy(request);
    if (sent === undefined) return undefined;
    const { key, token } = sent;
    const holders = [sessionIdOf(request), ...browserIdsOf(request)];
    const mayClaim = isCsrfToken(sealer, token, holders);
    const hungUp = new Promise<void>((resolve) => reply.raw.once('close', () => resolve()));
    let answer: string | undefined;
    do {
      if (mayClaim && (await claimForm(database, key, later(LONGEST_WORK), now()))) {
        request.claim = { key, token, refused: false };
        return undefined;
      }
      answer = await withoutSlot(request, () => answerTo(key, hungUp));
      // Whoever had taken it was refused, or failed: one of those who waited is next.
    } while (answer === undefined && mayClaim);
    return answer === undefined
      ? undefined
      : giveAgain(reply, sealerOf(sealer, token).openJson('answer', answer));
  });

  // Before the answer goes out: whoever has seen it and sends the form again is led to the same place.
  app.addHook('onSend', async (request, reply) => {
    const { claim } = request;
    if (claim === undefined) return;
    request.claim = undefined;
    const location = reply.getHeader('location');
    const done = !claim.refused && reply.statusCode === 303 && typeof location === 'string';
    const cookies = [reply.getHeader('set-cookie') ?? []].flat().map(String);
    await (done
      ? keepAnswer(
          database,
          claim.key,
          sealerOf(sealer, claim.token).sealJson('answer', { location, cookies } satisfies Answer),
          later(KEPT),
        )
      : releaseForm(database, claim.key)
    ).catch((error) => request.log.warn({ err: error }, 'what a form was answered with could not be kept'));
  });
}

/** The form did not do what it asks for: it may be sent again as it is. */
export function refusedOnce(request: FastifyRequest): void {
  if (request.claim !== undefined) request.claim.refused = true;
}

/** Undefined where it could be anybody's: without a token of a page of ours, or without our cookie. */
function formSentBy(request: FastifyRequest): SentForm | undefined {
  const form = formOf(request);
  const token = form.get('csrf');
  const [browser] = browserIdsOf(request);
  if (token === undefined || browser === undefined) return undefined;
  const files = [...(request.files ?? [])].map(([name, bytes]) => [name, bytes.toString('base64')]);
  const said = JSON.stringify([form.entries, files]);
  return { key: usedFormDigest('send', browser, token, request.url, said), token };
}

/** The sign-in form, which starts one session: what that is named by (credentials/sign-in.ts). */
export function entryFormOf(request: FastifyRequest, parts: Parts, email: string): EntryForm | undefined {
  const token = formOf(request).get('csrf');
  const [browser] = browserIdsOf(request);
  if (token === undefined || browser === undefined) return undefined;
  const of = [browser, token, emailKey(email)] as const;
  return {
    key: usedFormDigest('enter', ...of),
    idIn: (minute) => parts.sealer.mac('session of a form', `${minute}`, ...of).toString('base64url'),
  };
}

/** Under a key of that very page: neither the database nor SECRET_KEY has what opens it. */
const sealerOf = (sealer: Sealer, token: string): Sealer =>
  createSealer(sealer.mac('form answer', token).toString('base64url'));

function giveAgain(reply: FastifyReply, answer: Answer | undefined): FastifyReply | undefined {
  if (answer === undefined) return undefined;
  if (answer.cookies.length > 0) reply.header('set-cookie', answer.cookies);
  return reply.redirect(answer.location, 303);
}
