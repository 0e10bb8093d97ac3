// The decorators of a controller in TypeScript are functions.
import 'reflect-metadata';
import { Controller, Module, Post, Req, UnauthorizedException } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { handle, verify } from './verify.mjs';

class WebhooksController {
  receive(request) {
    const { rawBody, headers } = request;
    const problem = verify(rawBody, headers);
    if (problem !== null) throw new UnauthorizedException(problem);
    handle(request.body);
  }
}
const { prototype } = WebhooksController;
Controller('webhooks')(WebhooksController);
Post()(prototype, 'receive', Object.getOwnPropertyDescriptor(prototype, 'receive'));
Req()(prototype, 'receive', 0);

class AppModule {}
Module({ controllers: [WebhooksController] })(AppModule);
const app = await NestFactory.create(AppModule, { rawBody: true, logger: false });
app.useBodyParser('json', { limit: '1mb' });
await app.listen(process.env.PORT, '127.0.0.1');
