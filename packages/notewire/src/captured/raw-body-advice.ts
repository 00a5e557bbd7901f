/** How to get the bytes of a request in the frameworks that people use. */
export const RAW_BODY_ADVICE =
  "Verify the bytes of the body as they arrived, before any JSON parser: expressHandler(receiver) before express.json(), or express.raw({ type: '*/*' }), in Express; fastifyPlugin, or addContentTypeParser with parseAs: 'buffer', in Fastify; receiver.fetch, or await request.text(), in Next.js; request.get_data() in Flask; request.body in Django; request.raw_post in Rails; io.ReadAll(r.Body) in Go; file_get_contents('php://input') in PHP; @RequestBody byte[] in Spring."
