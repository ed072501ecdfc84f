// What every page has at hand, bound once to what the process is made of: the settings, how it is sent, its forms.
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Config } from '../config.ts';
import type { Parts } from '../http/parts.ts';
import { type FormPage, type FormWithin, formPage, formWithin } from './form-page.ts';
import { type Page, sendPage } from './page.ts';

declare module 'fastify' {
  interface FastifyReply {
    /** Sends a page as the answer. */
    page: (page: Page) => FastifyReply;
    /** The id that this answer gives to a browser without one. */
    browserId: string | undefined;
  }
  interface FastifyInstance {
    config: Config;
    /**
     * Registers a page with a form, GET and POST. In a member area it is the member's; elsewhere it is open to everybody,
     * and bound to the browser.
     */
    formPage: <About, Fields extends object>(declared: FormPage<About, Fields>) => void;
    /** Registers a form that stands on the page of another one, in a member area. */
    formWithin: (declared: FormWithin) => void;
  }
}

/** Gives it to all routes and areas that are registered after it. */
export function pages(app: FastifyInstance, parts: Parts): void {
  app.decorate('config', parts.config);
  app.decorateReply('browserId', undefined);
  app.decorateReply('page', function (this: FastifyReply, page: Page) {
    return sendPage(this, page);
  });
  app.decorate('formPage', function (this: FastifyInstance, declared: FormPage<unknown, object>) {
    formPage(this, parts, declared);
  });
  app.decorate('formWithin', function (this: FastifyInstance, declared: FormWithin) {
    formWithin(this, parts, declared);
  });
}
