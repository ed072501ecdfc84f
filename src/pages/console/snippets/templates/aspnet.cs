// Reads CLIENT_SECRET from the environment.
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Authentication.Cookies;
using Microsoft.AspNetCore.Authentication.OpenIdConnect;
using Microsoft.IdentityModel.Protocols.OpenIdConnect;

var builder = WebApplication.CreateBuilder(args);
builder.WebHost.UseUrls("http://localhost:{{port}}");
builder.Services.AddAuthorization();
builder.Services
    .AddAuthentication(options =>
    {
        options.DefaultScheme = CookieAuthenticationDefaults.AuthenticationScheme;
        options.DefaultChallengeScheme = OpenIdConnectDefaults.AuthenticationScheme;
    })
    .AddCookie()
    .AddOpenIdConnect(options =>
    {
        options.Authority = '{{issuer}}';
        // Allows http for local development.
        options.RequireHttpsMetadata = options.Authority.StartsWith("https:");
        options.ClientId = '{{clientId}}';
        options.ClientSecret = Environment.GetEnvironmentVariable("CLIENT_SECRET");
        options.CallbackPath = '{{callbackPath}}';
        options.ResponseType = OpenIdConnectResponseType.Code;
        options.ResponseMode = OpenIdConnectResponseMode.Query;
        // State and nonce are sent automatically.
        options.UsePkce = true;
        options.Scope.Clear();
        foreach (var scope in '{{scope}}'.Split(' ')) options.Scope.Add(scope);
        options.GetClaimsFromUserInfoEndpoint = true;
        // Keeps the names of claims: sub, name, email.
        options.MapInboundClaims = false;
        options.TokenValidationParameters.NameClaimType = "name";
        options.ClaimActions.MapUniqueJsonKey("picture", '{{pictureClaim}}');
    });

var app = builder.Build();
app.UseAuthentication();
app.UseAuthorization();
// Find or create your user by the sub claim here.
app.MapGet("/", (HttpContext context) => context.User.FindFirst("sub")?.Value).RequireAuthorization();
app.Run();
