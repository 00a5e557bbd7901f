export const RAW_BODY_BY_FRAMEWORK = [
  "Express: expressHandler(receiver) before express.json(); by hand: express.raw({ type: '*/*' })",
  "Fastify: fastifyPlugin; by hand: addContentTypeParser with parseAs: 'buffer'",
  'Next.js: receiver.fetch; by hand: await request.text(), not request.json()',
  'Flask: request.get_data()',
  'Django: request.body, before request.POST',
  'Rails: request.raw_post',
  'Go: io.ReadAll(r.Body)',
  "PHP: file_get_contents('php://input')",
  'Spring: @RequestBody byte[]',
]
