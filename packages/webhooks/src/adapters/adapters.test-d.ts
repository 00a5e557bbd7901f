/// <reference path="../../node_modules/@types/aws-lambda/index.d.ts" />

import { fastify } from 'fastify'
import { describe, expectTypeOf, it } from 'vitest'
import { createReceiver } from '../index.ts'
import { fastifyPlugin } from './fastify.ts'
import { lambdaHandler } from './lambda.ts'

const receiver = createReceiver({ secret: () => undefined, on: {} })

describe('fastifyPlugin', () => {
  it('is registered with a receiver, a path and the options of Fastify', () => {
    fastify().register(fastifyPlugin, { receiver, url: '/webhooks/notes', prefix: '/api', logLevel: 'warn' })
    // @ts-expect-error no receiver
    fastify().register(fastifyPlugin, { url: '/webhooks/notes' })
    // @ts-expect-error no path
    fastify().register(fastifyPlugin, { receiver })
  })

  it('can be registered in an application on HTTPS or HTTP/2', () => {
    fastify({ https: {} }).register(fastifyPlugin, { receiver, url: '/webhooks/notes' })
    fastify({ http2: true }).register(fastifyPlugin, { receiver, url: '/webhooks/notes' })
  })
})

describe('lambdaHandler', () => {
  it('has the handler type of each gateway', () => {
    const handler = lambdaHandler(receiver)
    expectTypeOf(handler).toExtend<AWSLambda.APIGatewayProxyHandler>()
    expectTypeOf(handler).toExtend<AWSLambda.APIGatewayProxyWithCognitoAuthorizerHandler>()
    expectTypeOf(handler).toExtend<AWSLambda.APIGatewayProxyHandlerV2>()
    expectTypeOf(handler).toExtend<AWSLambda.LambdaFunctionURLHandler>()
    expectTypeOf(handler).toExtend<AWSLambda.ALBHandler>()
  })

  it('has the handler type of no other service', () => {
    const handler = lambdaHandler(receiver)
    expectTypeOf(handler).not.toExtend<AWSLambda.SQSHandler>()
    expectTypeOf(handler).not.toExtend<AWSLambda.SNSHandler>()
    expectTypeOf(handler).not.toExtend<AWSLambda.S3Handler>()
    expectTypeOf(handler).not.toExtend<AWSLambda.KinesisStreamHandler>()
    expectTypeOf(handler).not.toExtend<AWSLambda.DynamoDBStreamHandler>()
    expectTypeOf(handler).not.toExtend<AWSLambda.EventBridgeHandler<string, object, void>>()
    expectTypeOf(handler).not.toExtend<AWSLambda.ScheduledHandler>()
  })
})
