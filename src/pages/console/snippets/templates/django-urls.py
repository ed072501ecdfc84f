# Add this to your urls.py.
from django.urls import include, path

urlpatterns += [path('{{djangoPrefix}}', include('mozilla_django_oidc.urls'))]
