import json
import os
import sys
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse, JsonResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from verify import handle, verify

settings.configure(
    DEBUG=True,
    SECRET_KEY="django-insecure-key",
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=sys.modules[__name__],
    MIDDLEWARE=[
        "django.middleware.security.SecurityMiddleware",
        "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
    ],
    LOGGING_CONFIG=None,
)


@csrf_exempt
def webhooks(request):
    body = request.body
    problem = verify(body, request.headers)
    if problem:
        return JsonResponse({"error": problem}, status=401)
    handle(json.loads(body))
    return HttpResponse(status=204)


urlpatterns = [path("webhooks", webhooks)]


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


make_server(
    "127.0.0.1", int(os.environ["PORT"]), get_wsgi_application(), server_class=Server, handler_class=WSGIRequestHandler
).serve_forever()
