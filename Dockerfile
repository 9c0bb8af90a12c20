# The gateway as a sidecar image. Its configuration: mount one at /etc/mcp-resilience/config.yaml, or set
# UPSTREAM_URL for the one that is there (docker/gateway.yaml).

FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json ./
COPY src ./src
RUN npm run build

FROM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json LICENSE ./
COPY config ./config
COPY docker/gateway.yaml /etc/mcp-resilience/config.yaml
USER node
EXPOSE 8080 9464
# The gateway drains on SIGTERM: open exchanges may end within `shutdown.grace`.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:9464/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/dist/cli/index.js"]
CMD ["serve", "--config", "/etc/mcp-resilience/config.yaml"]
